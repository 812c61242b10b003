/** The topology that exactness is measured on, and how the bench opens it. */

import { parseTopology, type Topology } from "../../topology/topology.ts";
import { openTestbed, type Testbed, type TestbedOptions } from "../../testbed/testbed.ts";

/** One site in the middle, and one at each of these round-trip times from it. */
export function star(roundTrips: readonly number[]): Topology {
  const sites = roundTrips.map((_, index) => `  s${index}: { servers: [p${index + 2}], load: 0 }`);
  const links = roundTrips.map((rtt, index) => `  - { between: [c, s${index}], rtt: ${rtt}ms }`);
  const others = roundTrips.flatMap((_, a) =>
    roundTrips.slice(a + 1).map((__, b) => `  - { between: [s${a}, s${a + 1 + b}], rtt: 10ms }`),
  );
  const middle = "  c: { servers: [p1], load: 1 }";
  return parseTopology(
    ["sites:", middle, ...sites, "links:", ...links, ...others, ""].join("\n"),
    "star.yaml",
  );
}

export const open = (topology: Topology, options: Partial<TestbedOptions> = {}): Promise<Testbed> =>
  openTestbed({ topology, engine: "plane", ...options });
