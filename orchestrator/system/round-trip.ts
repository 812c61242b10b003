/** How far apart the servers of a trial are, for those who set their timers by it. */

import { roundTrip } from "../topology/model.ts";
import type { TrialTerms } from "./system.ts";

/** The longest round trip between two servers, in whole milliseconds, rounded up. */
export function longestRoundTripMs({ topology }: Pick<TrialTerms, "topology">): number {
  const servers = [...topology.servers.keys()];
  const trips = servers.flatMap((a) => servers.map((b) => roundTrip(topology, a, b)));
  return Math.ceil(Math.max(0, ...trips) / 1e3);
}
