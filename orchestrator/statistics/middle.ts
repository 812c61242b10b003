/**
 * Several runs in one number: their median, and where that of all runs that there could be lies.
 *
 * Every run is above the true median or below it, as a coin falls. So the k-th smallest and the k-th largest
 * have it between them unless fewer than k coins fell on one side, whatever the runs are distributed like;
 * k is the greatest for which that is rarer than one in twenty. With five runs even the extremes miss it
 * more often (2 of 32), so six runs are the fewest of which an interval is told.
 */

import { median } from "./summary.ts";

export interface Middle {
  readonly middle: number;
  /** Null where there are not enough runs. */
  readonly low: number | null;
  readonly high: number | null;
  readonly count: number;
}

/** Null of nothing. */
export function middleOf(values: readonly number[]): Middle | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const rank = rankOf(sorted.length);
  return {
    middle: median(values),
    low: sorted[rank - 1] ?? null,
    high: sorted[sorted.length - rank] ?? null,
    count: sorted.length,
  };
}

/** The greatest k of which fewer than k of so many coins fall on one given side in 2.5 % at most; or 0. */
function rankOf(count: number): number {
  let rank = 0;
  let chance = 0;
  // Logarithms, because a half to the power of thousands is no number.
  let term = -count * Math.LN2;
  for (; rank <= count; rank++) {
    chance += Math.exp(term);
    if (chance > LEVEL / 2) break;
    term += Math.log((count - rank) / (rank + 1));
  }
  return rank;
}

export const LEVEL = 0.05;
export const NOT_ENOUGH_RUNS = "not enough runs";
