/** A topology's distances as a test writes them down: each pair of sites once, in milliseconds. */

import type { Topology } from "../topology/topology.ts";

export const roundTripsOf = (topology: Topology): Readonly<Record<string, number>> => {
  const names = [...topology.sites.keys()].sort();
  const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b] as const));
  return Object.fromEntries(
    pairs.map(([a, b]) => [`${a} ${b}`, (topology.link(a, b).delay + topology.link(b, a).delay) / 1e3]),
  );
};
