/**
 * Is the emulated network the one that was asked for? Measured delays beside asked ones, and a verdict with
 * its reasons.
 *
 * Every directed pair of sites is judged by itself: the mean against the asked mean, the spread against the
 * asked distribution, losses against the asked loss, order against the asked order. What chance alone
 * explains is allowed for: a mean over n samples wanders by sd/sqrt(n), the Kolmogorov-Smirnov distance of n
 * samples by 1.63/sqrt(n) (1 %).
 */

import type { LinkShape } from "../../topology/topology.ts";
import { QUANTILES, table } from "./distribution.ts";
import { quantile, quantileOf } from "../../statistics/summary.ts";

/** What was seen on the way from one site to another, over all pairs of machines. */
export interface Sample {
  readonly from: string;
  readonly to: string;
  readonly asked: LinkShape;
  readonly ordered: boolean;
  readonly sent: number;
  /** One way, in microseconds. */
  readonly delays: readonly number[];
  readonly reordered: number;
  /** TCP handshakes from `from` to `to` and back, in microseconds. */
  readonly roundTrips: readonly number[];
  readonly askedRoundTrip: number;
  /** Bits per second of one TCP flow; null when it was not measured. */
  readonly bandwidth: number | null;
}

/** Microseconds; the p50 and p99 of what was asked follow from its distribution. */
export interface Moments {
  readonly mean: number;
  readonly sd: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Judged {
  readonly from: string;
  readonly to: string;
  readonly samples: number;
  readonly asked: Moments;
  readonly achieved: Moments;
  /** Achieved less asked. */
  readonly meanError: number;
  /** The sd without what stalls of the machine held up, and how many packets those were. */
  readonly onTime: { readonly sd: number; readonly stalled: number };
  /**
   * Between the achieved distribution, its mean error taken out, and the asked one; null where none was
   * asked.
   */
  readonly ks: number | null;
  readonly loss: { readonly asked: number; readonly achieved: number };
  readonly reordered: number;
  readonly roundTrip: { readonly asked: number; readonly udp: number; readonly tcp: number | null };
  readonly bandwidth: number | null;
  /** Empty when all is as asked. */
  readonly faults: readonly string[];
}

export interface Tolerance {
  /** Of a one-way mean, in microseconds. */
  readonly mean: number;
  /** Of the 99th percentile, one way, in microseconds. */
  readonly p99: number;
  /** Of an asked sd, relative. */
  readonly sd: number;
  readonly ks: number;
  /**
   * What the engine itself spreads a delay by, in microseconds: a jitter of that size cannot be told from it.
   */
  readonly grain: number;
  /** Part of all packets that may be late by more than a millisecond. */
  readonly late: number;
}

export const IDLE: Tolerance = { mean: 50, p99: 300, sd: 0.05, ks: 0.05, grain: 15, late: 0.01 };
/** Others compute at the same time, and dense packets that may not overtake wait for each other. */
export const LOADED: Tolerance = { mean: 150, p99: 1500, sd: 0.15, ks: 0.1, grain: 40, late: 0.01 };

/** No engine takes longer by itself; on a machine that is busy everything does. */
const MOST_OWN = 300;

/** What a passage costs the engine itself, of what many took above what was asked. */
export const ownCost = (above: readonly number[]): number =>
  above.length === 0 ? 0 : Math.min(quantileOf(above, 0.5), MOST_OWN);

export function judge(sample: Sample, back: Sample | undefined, tolerance: Tolerance): Judged {
  const { asked, delays } = sample;
  const sorted = Float64Array.from(delays).sort();
  const achieved = moments(sorted);
  const wanted = askedMoments(asked);
  const ks = asked.jitter === null ? null : shapeDistance(sorted, asked, tolerance.mean);
  const udp = achieved.mean + (back === undefined ? achieved.mean : mean(back.delays));
  const judged: Omit<Judged, "faults"> = {
    from: sample.from,
    to: sample.to,
    samples: delays.length,
    asked: wanted,
    achieved,
    meanError: achieved.mean - wanted.mean,
    onTime: onTime(sample),
    ks,
    loss: { asked: asked.loss, achieved: sample.sent === 0 ? 0 : 1 - delays.length / sample.sent },
    reordered: sample.reordered,
    roundTrip: {
      asked: sample.askedRoundTrip,
      udp,
      tcp: sample.roundTrips.length === 0 ? null : mean(sample.roundTrips),
    },
    bandwidth: sample.bandwidth,
  };
  return { ...judged, faults: faultsOf(judged, sample, tolerance) };
}

function faultsOf(judged: Omit<Judged, "faults">, sample: Sample, tolerance: Tolerance): string[] {
  const { samples, asked, achieved, meanError, ks, loss, reordered } = judged;
  const faults: string[] = [];
  if (samples === 0) return ["nothing arrives"];
  const wander = 3 / Math.sqrt(samples);
  // Swings that last leave few independent samples: neither their mean nor their shape can be judged in
  // seconds.
  const isSwinging = (sample.asked.jitter?.halfLife ?? 0) > 0;
  const limit = tolerance.mean + asked.sd * wander;
  if (!isSwinging && Math.abs(meanError) > limit) {
    faults.push(`the mean is off by ${meanError.toFixed(0)} us, ${limit.toFixed(0)} us are allowed`);
  }
  const far = achieved.p99 - asked.p99;
  if (!isSwinging && far > tolerance.p99 + 4 * asked.sd * wander)
    faults.push(`the p99 is ${far.toFixed(0)} us too long`);
  const { sd } = judged.onTime;
  const spread = sd - asked.sd;
  if (
    asked.sd > 0 &&
    !isSwinging &&
    Math.abs(spread) > asked.sd * (tolerance.sd + 2 * wander) + tolerance.grain
  ) {
    faults.push(`the sd is ${sd.toFixed(0)} us instead of ${asked.sd.toFixed(0)} us`);
  }
  // A Pareto's density is at most 2.25 per scale: shifting part of it by a grain moves so much of it past a
  // point.
  const blur = sample.asked.jitter === null ? 0 : (2.25 * tolerance.grain) / sample.asked.jitter.scale;
  const shape = tolerance.ks + 1.63 / Math.sqrt(samples) + blur;
  if (ks !== null && !isSwinging && ks > shape) {
    faults.push(`the distribution is not the asked one: KS ${ks.toFixed(3)}, ${shape.toFixed(3)} is allowed`);
  }
  const chance = 4 * Math.sqrt((loss.asked * (1 - loss.asked)) / sample.sent);
  if (Math.abs(loss.achieved - loss.asked) > chance + (loss.asked > 0 ? 1 / sample.sent : 0)) {
    faults.push(`${percent(loss.achieved)} are lost instead of ${percent(loss.asked)}`);
  }
  if (reordered > 0 && sample.ordered) faults.push(`${reordered} of ${samples} packets were overtaken`);
  return faults;
}

/** Half a millisecond beyond the longest asked delay: a stall of the machine, not the jitter of a link. */
const STALL = 500;

/**
 * What the jitter made: without the packets that a stall held up. How many of those there may be is judged by
 * itself, and a single one of 5 ms among a thousand would double an sd of 80 us.
 */
function onTime({ asked, delays }: Sample): Judged["onTime"] {
  const longest = asked.jitter === null ? 0 : (table(asked.jitter.distribution).quantiles.at(-1) ?? 0);
  const most = asked.delay + longest * (asked.jitter?.scale ?? 0) + STALL;
  const kept = delays.filter((delay) => delay <= most);
  return { sd: moments(Float64Array.from(kept).sort()).sd, stalled: delays.length - kept.length };
}

export const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

const mean = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return sum / values.length;
};

export function moments(sorted: Float64Array): Moments {
  const average = mean(sorted);
  let squares = 0;
  for (const value of sorted) squares += (value - average) ** 2;
  return {
    mean: average,
    sd: Math.sqrt(squares / Math.max(sorted.length, 1)),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  };
}

export function askedMoments({ delay, jitter }: LinkShape): Moments {
  if (jitter === null) return { mean: delay, sd: 0, p50: delay, p99: delay };
  const { quantiles, sd } = table(jitter.distribution);
  const at = (part: number): number => delay + jitter.scale * quantile(quantiles, part);
  return { mean: delay, sd: sd * jitter.scale, p50: at(0.5), p99: at(0.99) };
}

/** Shifts this far apart are tried, in microseconds. */
const STEP = 2;

/**
 * The Kolmogorov-Smirnov distance, the most by which the two distributions disagree on how many are below a
 * value, after the shift that makes it least: the mean's error is judged by itself, and must not be taken for
 * one of the shape.
 */
function shapeDistance(sorted: Float64Array, asked: LinkShape, most: number): number {
  let least = 1;
  for (let shift = -most; shift <= most; shift += STEP) {
    least = Math.min(least, distance(sorted, asked, shift));
  }
  return least;
}

function distance(sorted: Float64Array, asked: LinkShape, shift: number): number {
  if (asked.jitter === null || sorted.length === 0) return 0;
  const { quantiles } = table(asked.jitter.distribution);
  const { scale } = asked.jitter;
  let most = 0;
  let rank = 0;
  for (let index = 0; index < sorted.length; index++) {
    const value = ((sorted[index] as number) - shift - asked.delay) / scale;
    while (rank < QUANTILES && (quantiles[rank] as number) <= value) rank += 1;
    const below = rank / QUANTILES;
    most = Math.max(most, below - index / sorted.length, (index + 1) / sorted.length - below);
  }
  return most;
}
