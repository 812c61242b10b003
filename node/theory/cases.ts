/**
 * What elections are tried on: rings of which every arrangement counts, and rings of which only who begins
 * does.
 */

import { arrangements, factorial, falling, rising, shuffled } from "./arrangement.ts";
import { type Case, type Cases, places } from "./lecture.ts";

const allBegin = (ids: readonly number[]): Case => ({ ids, initiators: places(ids.length), seed: 0 });

/** All begin; the arrangement decides. Ids are 1 to n, or less by `less`. */
export function byArrangement(less: number, extreme: (n: number) => readonly (readonly number[])[]): Cases {
  const moved = (ids: readonly number[]): Case => allBegin(ids.map((id) => id - less));
  return {
    all: (n) => ({
      count: factorial(n - 1),
      each: mapped(arrangements(rising(n)), moved),
    }),
    drawn: (n, random) => moved(shuffled(n, random)),
    extreme: (n) => extreme(n).map(moved),
  };
}

/** One begins; where it stands decides. The ring falls along the way; of 1 to n those before `to` begin. */
export function byInitiator(ring: "falling" | "rising", count: (n: number) => number): Cases {
  const ids = (n: number): readonly number[] => (ring === "falling" ? falling(n) : rising(n));
  const begun = (n: number, place: number): Case => ({ ids: ids(n), initiators: [place], seed: 0 });
  return {
    all: (n) => ({ count: count(n), each: places(count(n)).map((place) => begun(n, place)) }),
    drawn: (n, random) => begun(n, random.integer(0, count(n) - 1)),
    extreme: (n) => [begun(n, 0), begun(n, count(n) - 1)],
  };
}

/** Chance within the processes decides. */
export const bySeed: Cases = {
  all: () => null,
  drawn: (n, random) => ({ ...allBegin(places(n)), seed: random.uint32() }),
  extreme: () => [],
};

function* mapped<T, U>(items: Iterable<T>, change: (item: T) => U): Generator<U> {
  for (const item of items) yield change(item);
}
