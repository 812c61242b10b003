/**
 * LeLann, Chang and Roberts: the greatest key goes all around, every other one until it meets a greater.
 *
 * Everybody sends its own key to its successor. The lecture's lines, and where they are below:
 *
 *   send value of own id to the left                          (1)
 *   when receive an id j (from the right):
 *     if j > id then forward j to the left                    (2)
 *     if j = id then elect self                               (3)
 *     if j < id then do nothing                               (4)
 *
 * How far a key goes depends on the order of the ring alone: at best, when keys rise in the direction of
 * travel, 2n - 1 hops in all, at worst n(n + 1)/2, and n more for the announcement. Rounds, repair, quorums
 * and latecomers are the contest's.
 */

import type { Key } from "../key.ts";
import type { Rules } from "../medium/contest-rules.ts";
import type { Token } from "../medium/contest-message.ts";

export interface LcrTour {
  /** The greatest token that went on from here; null as long as that is the own one. */
  readonly greatest: Token | null;
  /** Has the own token come back, though no quorum had let it pass? */
  readonly isHome: boolean;
}

type Step = ReturnType<Rules<Token, LcrTour>["step"]>;

export const lcrRules: Rules<Token, LcrTour> = {
  nothing: { greatest: null, isHome: false },

  step(tour, happening, own, compare): Step {
    if (happening.kind === "repaired")
      return happening.way === "on" ? on(tour, tour.greatest ?? firstOf(own)) : { tour, deeds: [] };
    if (happening.kind !== "token") return on({ ...tour, isHome: false }, firstOf(own)); // (1)
    const { token } = happening;
    if (token.key.server === own.server) {
      return { tour: { ...tour, isHome: true }, deeds: [{ kind: "home", token }] }; // (3)
    }
    if (compare(token.key, own) > 0) {
      const { greatest } = tour;
      const isGreatest = greatest === null || compare(token.key, greatest.key) >= 0;
      return on(isGreatest ? { ...tour, greatest: token } : tour, token); // (2)
    }
    // Whoever came after the own token had passed is met by it only if it goes round again.
    return tour.isHome ? on({ ...tour, isHome: false }, firstOf(own)) : { tour, deeds: [] }; // (4)
  },

  flawOf: (_, way) => (way === "on" ? null : "its token goes the wrong way round"),
};

const firstOf = (own: Key): Token => ({ key: own, hops: 1, met: [own.server] });

const on = (tour: LcrTour, token: Token): Step => ({ tour, deeds: [{ kind: "pass on", token }] });
