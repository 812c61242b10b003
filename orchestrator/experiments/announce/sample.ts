/** What repetitions of one experiment gave: their mean, and how far that may be from the truth. */

import type { Interval } from "../../statistics/interval.ts";
import { deviation, mean } from "../../statistics/summary.ts";

export interface Sample extends Interval {
  /** Standard error of the mean. */
  readonly error: number;
}

/** With a 95 % interval; of hundreds of values the mean is as good as normal. */
export function sampleOf(values: readonly number[]): Sample {
  const middle = mean(values);
  const error = deviation(values) / Math.sqrt(values.length);
  return {
    mean: middle,
    low: middle - 1.96 * error,
    high: middle + 1.96 * error,
    count: values.length,
    error,
  };
}

/** Within 4 standard errors, which chance leaves once in 16,000; microseconds are whole. */
export const agrees = (sample: Sample, expected: number, more = ROUNDING): boolean =>
  Math.abs(sample.mean - expected) <= 4 * sample.error + more;

/** Of real members, in seconds: half of virtual time's, because a second of theirs takes a second. */
export const LIVE_ANNOUNCE = 0.5;
/** What real timers and the packet plane may add to a time of theirs, 2 ms, in T_A. */
export const OF_MACHINES = 0.002 / LIVE_ANNOUNCE;

/** With half of its 95 % interval. */
export const printSample = ({ mean: middle, error }: Sample, digits = 3): string =>
  `${middle.toFixed(digits)} +- ${(1.96 * error).toFixed(digits)}`;

const ROUNDING = 1e-5;
