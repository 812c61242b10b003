/**
 * Are two the same, as far as anybody cares? Not to find a difference proves nothing, for little data finds
 * none. Two one-sided tests (Schuirmann 1987) turn it round: agreement is claimed when the data refuse both
 * "it is more than so much greater" and "it is more than so much less". Each is the exact sign-flip test, so
 * five pairs are the fewest that can agree. Where only one of two has lopsided noise it claims somewhat too
 * often (live runs beside virtual time, whose outage has a tail).
 */

import { signFlipAbove } from "./sign-flip.ts";

/** `marginOf`: by how much a may differ from this b. The greater of the two p-values. */
export function equivalenceP(
  pairs: readonly (readonly [a: number, b: number])[],
  marginOf: (b: number) => number,
): number {
  const notLess = signFlipAbove(pairs.map(([a, b]) => a - b + marginOf(b)));
  const notMore = signFlipAbove(pairs.map(([a, b]) => b + marginOf(b) - a));
  return Math.max(notLess, notMore);
}

export type Sameness = "same" | "not shown" | "not enough runs";

/** A margin that is part of what is compared. */
export const within =
  (share: number) =>
  (b: number): number =>
    share * Math.abs(b);

/** How p is read; fewer than five pairs cannot agree at all. */
export const samenessOf = (p: number, pairs: number): Sameness =>
  0.5 ** pairs > 0.05 ? "not enough runs" : p <= 0.05 ? "same" : "not shown";
