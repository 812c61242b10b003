/**
 * How ids may stand round a ring: all ways, by chance, and ways of which the costs are known. Always in the
 * direction of travel.
 */

import type { Random } from "../core/random.ts";

type Ring = readonly number[];

/**
 * Of 1 to n (or of other ids, ascending): every ring once, so the greatest is first and the others in any
 * order.
 */
export function* arrangements(ids: Ring): Generator<Ring> {
  const greatest = ids.at(-1);
  if (greatest === undefined) return;
  for (const others of orders(ids.slice(0, -1))) yield [greatest, ...others];
}

function* orders(left: Ring): Generator<Ring> {
  if (left.length === 0) yield [];
  for (const [at, first] of left.entries())
    for (const rest of orders(left.toSpliced(at, 1))) yield [first, ...rest];
}

/** Infinite from 171 on. */
export function factorial(n: number): number {
  let product = 1;
  for (let factor = 2; factor <= n && product < Infinity; factor++) product *= factor;
  return product;
}

/** 1 to n: keys rise along the way. */
export const rising = (n: number): Ring => Array.from({ length: n }, (_, index) => index + 1);

export const falling = (n: number): Ring => rising(n).toReversed();

export const shuffled = (n: number, random: Random): Ring => random.shuffle(rising(n));

/** For n = 2^m: neighbours differ as much as they can, on every scale. Null for other n. */
export function bitReversed(n: number): Ring | null {
  const bits = Math.log2(n);
  if (!Number.isInteger(bits)) return null;
  return rising(n).map((id) => {
    const written = (id - 1).toString(2).padStart(bits, "0");
    return Number.parseInt(written.split("").toReversed().join(""), 2) + 1;
  });
}
