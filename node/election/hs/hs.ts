/**
 * Hirschberg and Sinclair: who is greatest among ever more neighbours, on both sides, leads.
 *
 * In phase k a server sends its key 2^k hops both ways; who is greater swallows it, and the last one replies.
 * Both replies begin the next phase, the own key back has won. The lecture's lines, and where they are below:
 *
 *   send <probe, id, 0, 1> to left and right                                        (4)
 *   upon <probe, j, k, d> from left (resp. right):
 *     if j = id then terminate as the leader                                        (6)
 *     if j > id and d < 2^k then send <probe, j, k, d + 1> to right (resp. left)    (8)
 *     if j > id and d >= 2^k then send <reply, j, k> to left (resp. right)          (10)
 *   upon <reply, j, k> from left (resp. right):
 *     if j != id then send <reply, j, k> to right (resp. left)                      (12)
 *     else if already received <reply, j, k> from right (resp. left)                (14)
 *       then send <probe, id, k + 1, 1> to left and right                           (15)
 *
 * Replies are counted by phase and side, and a message says which way round it goes, since of two servers
 * each is the other's neighbour on both sides.
 */

import type { MessageCodec } from "../entry.ts";
import type { Key } from "../key.ts";
import type { Deed, Rules } from "../medium/contest-rules.ts";
import type { Token } from "../medium/contest-message.ts";

export interface Probe {
  /** `k`. */
  readonly phase: number;
  /** `d`: how many servers that take part it has reached, the next one included; 0 is a reply. */
  readonly distance: number;
}

export type HsToken = Token & Probe;

type Side = "on" | "back";

export interface HsTour {
  readonly phase: number;
  /** Which sides have replied in this phase. */
  readonly replied: readonly Side[];
  /** The greatest probe that went on this way, where that is not the own one. */
  readonly greatest: Readonly<Record<Side, HsToken | null>>;
  /** Has the own probe come back, though no quorum had let it pass? */
  readonly isHome: boolean;
}

type HsRules = Rules<HsToken, HsTour>;
type Step = ReturnType<HsRules["step"]>;

const SIDES = ["on", "back"] as const;
const opposite = (side: Side): Side => (side === "on" ? "back" : "on");

export const hsRules: HsRules = {
  nothing: { phase: 0, replied: [], greatest: { on: null, back: null }, isHome: false },

  step(tour, happening, own, compare): Step {
    if (happening.kind === "repaired") {
      const { way } = happening;
      const passed = tour.greatest[way];
      return { tour, deeds: [pass(way, passed ?? probe(own, tour.phase))] };
    }
    if (happening.kind !== "token") return bothWays(tour, own); // (4)
    const { token, way } = happening;
    const side = way === "back" ? "back" : "on";
    if (token.distance === 0) return reply(tour, token, side, own);
    if (token.key.server === own.server)
      return { tour: { ...tour, isHome: true }, deeds: [{ kind: "home", token }] }; // (6)
    if (compare(token.key, own) < 0) return tour.isHome ? bothWays(tour, own) : { tour, deeds: [] };
    if (token.distance >= 2 ** token.phase) {
      const answer = { ...token, distance: 0, hops: 1, met: [own.server] };
      return { tour, deeds: [pass(opposite(side), answer)] }; // (10)
    }
    const further = { ...token, distance: token.distance + 1 };
    const before = tour.greatest[side];
    const isGreatest = before === null || compare(token.key, before.key) >= 0;
    const greatest = isGreatest ? { ...tour.greatest, [side]: further } : tour.greatest;
    return { tour: { ...tour, greatest }, deeds: [pass(side, further)] }; // (8)
  },

  flawOf(token, way) {
    if (way === "aside") return "its token does not go round the ring";
    return token.phase > MOST_PHASES ? "its token is of a phase that no ring has" : null;
  },
};

/** A ring has at most 255 servers. */
const MOST_PHASES = 8;

function reply(tour: HsTour, token: HsToken, side: Side, own: Key): Step {
  if (token.key.server !== own.server) return { tour, deeds: [pass(side, token)] }; // (12)
  if (token.phase !== tour.phase || tour.replied.includes(side)) return { tour, deeds: [] };
  if (tour.replied.length === 0) return { tour: { ...tour, replied: [side] }, deeds: [] };
  return bothWays({ ...tour, phase: tour.phase + 1, replied: [] }, own); // (14), (15)
}

const bothWays = (tour: HsTour, own: Key): Step => ({
  tour: { ...tour, isHome: false },
  deeds: SIDES.map((side) => pass(side, probe(own, tour.phase))),
});

const probe = (own: Key, phase: number): HsToken => ({
  key: own,
  hops: 1,
  met: [own.server],
  phase,
  distance: 1,
});

const pass = (side: Side, token: HsToken): Deed<HsToken> => ({
  kind: side === "on" ? "pass on" : "pass back",
  token,
});

/** phase:u8 distance:u8 */
export const probeCodec: MessageCodec<Probe> = {
  write: ({ phase, distance }, writer) => void writer.u8(phase).u8(distance),
  read: (reader) => ({ phase: reader.u8(), distance: reader.u8() }),
  examples: [
    { phase: 2, distance: 3 },
    { phase: 1, distance: 0 },
  ],
};
