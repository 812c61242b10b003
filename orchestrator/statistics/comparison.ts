/**
 * Which of two is better, and could it be chance?
 *
 * Runs are paired: the first of every arm has the same seed, so the same requests at the same times, and only
 * the difference within a pair counts (the exact test of `sign-flip.ts`). Who compares many pairs, or looks
 * at several quantities, finds a difference somewhere, so all p-values are corrected together (Holm 1979).
 * The same arm run twice with other seeds goes through the very same test; where that differs, the test, or
 * the machine, is not to be believed.
 */

import { equivalenceP, type Sameness, samenessOf, within } from "./equivalence.ts";
import { LEVEL } from "./middle.ts";
import { leastP, type Shift, shiftOf, signFlip } from "./sign-flip.ts";

/** What is compared, such as the outage. */
export interface Quantity {
  readonly name: string;
  readonly arms: readonly Arm[];
}

/** The values of one arm by what its runs are paired by. */
export interface Arm {
  readonly name: string;
  readonly values: ReadonlyMap<number, number>;
}

export interface Difference extends Shift {
  readonly quantity: string;
  readonly a: string;
  readonly b: string;
  readonly pairs: number;
  /** Corrected for all differences that were looked at. */
  readonly p: number;
  /** The least that p could have been with so many pairs, corrected as the smallest of all. */
  readonly leastP: number;
  /** Whether they are the same within 5 %, which is another question. */
  readonly sameness: Sameness;
}

/** Of all pairs of arms that share at least two runs. `besides`: how many more are looked at with them. */
export function differences(quantities: readonly Quantity[], besides = 0): readonly Difference[] {
  const found = quantities.flatMap(({ name, arms }) =>
    arms.flatMap((a, index) => arms.slice(index + 1).flatMap((b) => difference(name, a, b))),
  );
  const count = found.length + besides;
  const corrected = holm(
    found.map(({ p }) => p),
    count,
  );
  return found.map((one, at) => ({
    ...one,
    p: corrected[at] ?? 1,
    leastP: Math.min(1, leastP(one.pairs) * count),
  }));
}

export const differs = ({ p }: Difference): boolean => p <= LEVEL;
/** So few pairs that nothing they could have shown would have counted. */
export const cannotTell = ({ leastP: least }: Difference): boolean => least > LEVEL;

function difference(quantity: string, a: Arm, b: Arm): readonly Difference[] {
  const both = [...a.values].flatMap(([key, value]) => {
    const other = b.values.get(key);
    return other === undefined ? [] : [[value, other] as const];
  });
  if (both.length < 2) return [];
  const pairs = both.map(([value, other]) => value - other);
  const sameness = samenessOf(equivalenceP(both, within(SAME_WITHIN)), pairs.length);
  const p = signFlip(pairs);
  return [{ quantity, a: a.name, b: b.name, pairs: pairs.length, ...shiftOf(pairs), p, leastP: p, sameness }];
}

/** Of a value. */
const SAME_WITHIN = 0.05;

/**
 * The smallest p is multiplied by how many there are, the next by one less, and none comes out below one
 * before it. Of more than are given, the others are taken for greater.
 */
export function holm(ps: readonly number[], count = ps.length): readonly number[] {
  const order = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const corrected = ps.map(() => 1);
  let least = 0;
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (count - rank)));
    corrected[index] = least;
  }
  return corrected;
}
