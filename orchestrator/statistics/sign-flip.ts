/**
 * Is a difference between pairs of runs chance? The exact test of Fisher (1935): if two arms were the same,
 * each pair's difference could as well have had the other sign, so all combinations of signs are as likely,
 * and what was seen is rare when few of them have a sum as far from 0. Nothing is assumed of the noise.
 *
 * Of n pairs there are 2^n combinations, so no p is less than 2 / 2^n: five pairs never differ, whatever
 * they show. The interval is the test turned round: every shift of the pairs that the test would not call a
 * difference. Its ends are means of subsets of the pairs (Hartigan 1969), so it excludes 0 exactly where
 * p is at most 5 %.
 */

import { Random } from "#node/core/random.ts";
import { LEVEL } from "./middle.ts";
import { mean } from "./summary.ts";

/** The chance of a sum this far from 0, either way, when nothing differs. */
export function signFlip(pairs: readonly number[]): number {
  const seen = Math.abs(sumOf(pairs)) - slack(pairs);
  return share(pairs, (sum) => Math.abs(sum) >= seen);
}

/** The chance of a sum this far above 0 when the truth is 0 or less. */
export function signFlipAbove(pairs: readonly number[]): number {
  const seen = sumOf(pairs) - slack(pairs);
  return share(pairs, (sum) => sum >= seen);
}

/** What so many pairs can show at best. */
export const leastP = (pairs: number): number => Math.min(1, 2 / 2 ** pairs);

/** How many pairs can tell a difference at all when so many comparisons are corrected together (Holm). */
export function pairsNeeded(comparisons: number): number {
  let pairs = 1;
  while (leastP(pairs) * Math.max(1, comparisons) > LEVEL) pairs += 1;
  return pairs;
}

export interface Shift {
  readonly mean: number;
  /** Null where there are not enough pairs. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Of the pairs: the mean, and between which shifts 95 % lie. */
export function shiftOf(pairs: readonly number[]): Shift {
  const means = subsetMeans(pairs);
  const cut = Math.floor((LEVEL / 2) * (means.length + 1));
  return {
    mean: mean(pairs),
    low: cut === 0 ? null : (means[cut - 1] ?? null),
    high: cut === 0 ? null : (means[means.length - cut] ?? null),
  };
}

/** Of all combinations of signs, in Gray's order, so that each differs from the one before in one pair. */
function share(pairs: readonly number[], isAsFar: (sum: number) => boolean): number {
  if (pairs.length > MOST_PAIRS) return drawnShare(pairs, isAsFar);
  const signs = pairs.map(() => 1);
  const combinations = 2 ** pairs.length;
  let sum = sumOf(pairs);
  let count = 0;
  for (let step = 1; step <= combinations; step++) {
    if (isAsFar(sum)) count += 1;
    const flipped = trailingZeros(step);
    const sign = -(signs[flipped] ?? 1);
    signs[flipped] = sign;
    sum += 2 * sign * (pairs[flipped] ?? 0);
  }
  return count / combinations;
}

/** Of more pairs than can be gone through, drawn ones; what was seen is one of them. */
function drawnShare(pairs: readonly number[], isAsFar: (sum: number) => boolean): number {
  const random = new Random(SEED);
  let count = 1;
  for (let drawn = 0; drawn < DRAWS; drawn++) {
    let sum = 0;
    for (const pair of pairs) sum += random.chance(0.5) ? pair : -pair;
    if (isAsFar(sum)) count += 1;
  }
  return count / (DRAWS + 1);
}

/** Ascending; of all subsets that are not empty, or of drawn ones. */
function subsetMeans(pairs: readonly number[]): Float64Array {
  const all = pairs.length <= MOST_SUBSETS;
  const means = new Float64Array(all ? 2 ** pairs.length - 1 : 2 ** MOST_SUBSETS - 1);
  const random = new Random(SEED);
  for (let at = 0; at < means.length; at++) {
    let [sum, count] = [0, 0];
    while (count === 0) {
      sum = 0;
      for (const [index, pair] of pairs.entries()) {
        if (all ? ((at + 1) & (1 << index)) === 0 : random.chance(0.5)) continue;
        sum += pair;
        count += 1;
      }
    }
    means[at] = sum / count;
  }
  return means.sort();
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Sums that are equal but for rounding are equal. */
const slack = (pairs: readonly number[]): number =>
  1e-9 * pairs.reduce((sum, value) => sum + Math.abs(value), 0);

function trailingZeros(step: number): number {
  let zeros = 0;
  for (let left = step; left % 2 === 0; left /= 2) zeros += 1;
  return zeros;
}

const MOST_PAIRS = 20;
const MOST_SUBSETS = 14;
const DRAWS = 99_999;
const SEED = 1935;
