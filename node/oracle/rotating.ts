/**
 * Each round its own leader, in turn, whatever it is like: what elections by id do, and the measure for all
 * oracles that know better. The round's leader scores 1, all others 0 (section 3.3), so a dead one's turn
 * goes to the highest id.
 *
 * The wheel begins with the highest id in round 1: it also wins a first election that scores leave tied, so
 * that the servers of the paper's runs, led by p5, go on to p1 in round 2 (section 4.2: "the next id modulo
 * the number of servers").
 */

import type { ServerId } from "../core/identity.ts";
import type { Round } from "../core/score.ts";
import type { Oracle } from "./oracle.ts";
import { moreIsBetter } from "./order.ts";

function leaderOf(round: Round, servers: readonly ServerId[]): ServerId | undefined {
  return servers[(round + servers.length - 2) % servers.length];
}

export const rotating: Oracle = {
  score: ({ self, servers }, round) => [leaderOf(round, servers) === self ? 1 : 0],
  compare: moreIsBetter,
  ready: () => true,
  explain: ({ servers }, round) => ({ round, leaderOfRound: leaderOf(round, servers) ?? 0 }),
};
