/**
 * Is a load warm? Compilers, caches and estimates make the first seconds slower than all that follow, by how
 * much and for how long differs between systems; so it is looked at, and no number of seconds is believed.
 *
 * What was answered is counted in windows of equal length. It is steady when the newer half of the last
 * windows has no trend against the older half: their means are as near as the windows' own scatter explains,
 * or nearer than what would matter.
 */

import { mean } from "../../statistics/summary.ts";

export const WINDOW_MS = 500;
/** Looked at together: as many old as new ones. */
const WINDOWS = 8;
/** A difference that would not matter. */
const NEGLIGIBLE = 0.03;
/** Standard errors that chance alone makes in one of twenty. */
const CHANCE = 2;
/** However much the windows scatter, means farther apart than this are a trend. */
const MOST = 0.1;

/** `answered`: in each window so far, in order. */
export function isSteady(answered: readonly number[]): boolean {
  const last = answered.slice(-WINDOWS);
  if (last.length < WINDOWS) return false;
  const [older, newer] = [last.slice(0, WINDOWS / 2), last.slice(WINDOWS / 2)];
  const all = mean(last);
  if (all === 0) return false;
  const apart = Math.abs(mean(newer) - mean(older)) / all;
  const error = Math.sqrt((varianceOf(older) + varianceOf(newer)) / (WINDOWS / 2)) / all;
  return apart <= NEGLIGIBLE || (apart <= CHANCE * error && apart <= MOST);
}

function varianceOf(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}
