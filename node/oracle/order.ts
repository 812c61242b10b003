/**
 * The total orders of scores: number by number, the first difference decides.
 *
 * The empty score is worse than any other. It is what a server says that cannot lead at all, since it reaches
 * no quorum. (An infinite latency would say the same, but a list of nothing needs no special number on the
 * wire.)
 */

import type { Score } from "../core/score.ts";

export const NONE: Score = [];

export function moreIsBetter(a: Score, b: Score): number {
  for (const [index, mine] of a.entries()) {
    const theirs = b[index];
    if (theirs === undefined) return 1;
    if (mine !== theirs) return mine < theirs ? -1 : 1;
  }
  return a.length < b.length ? -1 : 0;
}

export function lessIsBetter(a: Score, b: Score): number {
  for (const [index, mine] of a.entries()) {
    const theirs = b[index];
    if (theirs === undefined) return 1;
    if (mine !== theirs) return mine > theirs ? -1 : 1;
  }
  return a.length < b.length ? -1 : 0;
}
