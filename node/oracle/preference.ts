/**
 * The operator knows best: a list of servers, the first of them that lives leads ("pre-defined preference
 * lists", section 2). Servers that are not on the list come after all that are, the higher id first.
 */

import type { ServerId } from "../core/identity.ts";
import type { Oracle } from "./oracle.ts";
import { moreIsBetter } from "./order.ts";

/** Who is to lead first is said, and a first election waits until it is there. */
export const stated = (list: readonly ServerId[]): Oracle => ({
  ...preference(list),
  first: list[0],
  ready: ({ self, roundTrips, unmeasured }) =>
    [self, ...roundTrips.keys(), ...unmeasured].some((server) => server === list[0]),
});

export function preference(list: readonly ServerId[]): Oracle {
  const score = (self: ServerId): number => {
    const place = list.indexOf(self);
    return place === -1 ? 0 : list.length - place;
  };
  return {
    score: ({ self }) => [score(self)],
    compare: moreIsBetter,
    // A better place is worth any margin.
    advantage: ([mine = 0], [theirs = 0]) => Math.sign(mine - theirs),
    ready: () => true,
    explain: ({ self }) => ({ placeOnList: list.indexOf(self) + 1 }),
  };
}
