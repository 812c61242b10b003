/**
 * Which of two is better, and could it be chance?
 *
 * Runs are paired: the first of every oracle has the same seed, so the same requests at the same times, and
 * only the difference within a pair counts (Student's t over the pairs). Who compares many pairs, or looks at
 * several quantities, finds a difference somewhere, so all p-values are corrected together (Holm 1979). The
 * same oracle run twice with other seeds shows how large a difference is when there is none.
 */

import { bootstrap, type Interval } from "./interval.ts";
import { twoSided } from "./student.ts";
import { deviation, mean } from "./summary.ts";

/** What is compared, such as the outage. */
export interface Quantity {
  readonly name: string;
  readonly arms: readonly Arm[];
}

/** The values of one arm by the seed of its runs. */
export interface Arm {
  readonly name: string;
  readonly values: ReadonlyMap<number, number>;
}

export interface Difference {
  readonly quantity: string;
  readonly a: string;
  readonly b: string;
  /** Of a minus b, over the pairs that both have. */
  readonly interval: Interval;
  /** Corrected for all differences that were looked at. */
  readonly p: number;
}

/** Of all pairs of arms that share at least two seeds. */
export function differences(quantities: readonly Quantity[]): readonly Difference[] {
  const found = quantities.flatMap(({ name, arms }) =>
    arms.flatMap((a, index) => arms.slice(index + 1).flatMap((b) => difference(name, a, b))),
  );
  const corrected = holm(found.map(({ p }) => p));
  return found.map((one, at) => ({ ...one, p: corrected[at] ?? 1 }));
}

function difference(quantity: string, a: Arm, b: Arm): readonly Difference[] {
  const pairs = [...a.values].flatMap(([seed, value]) => {
    const other = b.values.get(seed);
    return other === undefined ? [] : [value - other];
  });
  const interval = bootstrap(pairs);
  if (interval === null || pairs.length < 2) return [];
  return [{ quantity, a: a.name, b: b.name, interval, p: pairedP(pairs) }];
}

/** The chance of a mean this far from 0 if there were no difference. */
export function pairedP(pairs: readonly number[]): number {
  const spread = deviation(pairs);
  const middle = mean(pairs);
  if (spread === 0) return middle === 0 ? 1 : 0;
  return twoSided(middle / (spread / Math.sqrt(pairs.length)), pairs.length - 1);
}

/**
 * The smallest p is multiplied by how many there are, the next by one less, and none comes out below one
 * before it.
 */
export function holm(ps: readonly number[]): readonly number[] {
  const order = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const corrected = ps.map(() => 1);
  let least = 0;
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, p * (ps.length - rank)));
    corrected[index] = least;
  }
  return corrected;
}
