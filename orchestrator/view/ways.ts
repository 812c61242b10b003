/** The mean round trip that is asked for between each two sites. */

import type { Topology } from "../topology/topology.ts";
import type { Distance } from "./record.ts";

export function askedOf(topology: Topology): readonly Distance[] {
  const names = [...topology.sites.keys()];
  return names.flatMap((a, index) =>
    names.slice(index + 1).map((b) => ({
      a,
      b,
      ms: (topology.link(a, b).delay + topology.link(b, a).delay) / 1e3,
    })),
  );
}
