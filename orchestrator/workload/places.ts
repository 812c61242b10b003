/** Where a client may go, best first: its own server, the others of its site, then the nearest. */

import type { ServerId } from "#node/core/identity.ts";
import type { Topology } from "../topology/topology.ts";
import type { Client } from "./workload.ts";

export function placesOf({ home, site }: Client, topology: Topology): readonly ServerId[] {
  const rank = (server: ServerId, at: string): number => {
    if (server === home) return -2;
    return at === site ? -1 : topology.link(site, at).delay + topology.link(at, site).delay;
  };
  return [...topology.servers]
    .sort(([a, siteOfA], [b, siteOfB]) => rank(a, siteOfA) - rank(b, siteOfB) || a - b)
    .map(([server]) => server);
}
