/**
 * How sure many repetitions make us of their mean: intervals by the bootstrap (Efron 1979), which assumes no
 * shape.
 *
 * The repetitions are drawn again and again from themselves, with replacement, and the middle 95 % of the
 * means of what was drawn is the interval. Of few repetitions it is too narrow, so of fewer than fifty there
 * is none: from there on it covers what it says, which a simulation beside it shows. Of fewer, see
 * `middle.ts`.
 */

import { Random } from "#node/core/random.ts";
import { mean, quantile } from "./summary.ts";

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** Null of fewer than it covers. The same values give the same interval. */
export function bootstrap(values: readonly number[], level = 0.95): Interval | null {
  if (values.length < FEWEST) return null;
  const random = new Random(SEED);
  const means = new Float64Array(RESAMPLES);
  for (let index = 0; index < RESAMPLES; index++) {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += random.pick(values);
    means[index] = sum / values.length;
  }
  means.sort();
  const tail = (1 - level) / 2;
  return {
    mean: mean(values),
    low: quantile(means, tail),
    high: quantile(means, 1 - tail),
    count: values.length,
  };
}

/** That it covers. */
export const FEWEST = 50;
const RESAMPLES = 4000;
const SEED = 1979;
