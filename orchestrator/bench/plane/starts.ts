/** How long a testbed takes to be there, and to be gone. */

import { loadTopology, parseTopology, type Topology } from "../../topology/topology.ts";
import type { Note } from "./line.ts";
import { open } from "./star.ts";

export async function starts(note: Note): Promise<void> {
  const start = performance.now();
  const testbed = await open(loadTopology("3dc"));
  await testbed.certify();
  const up = performance.now();
  note("start of 3dc with certificate", "s", { most: 6 }, (up - start) / 1000);
  await testbed[Symbol.asyncDispose]();
  note("tear-down of 3dc", "s", { most: 1.5 }, (performance.now() - up) / 1000);
  const again = performance.now();
  await using crowd = await open(fifty());
  note("start of 50 machines on 10 sites", "s", { most: 30 }, (performance.now() - again) / 1000);
  await crowd.certify({ rounds: 50 });
}

function fifty(): Topology {
  const name = (site: number): string => `s${site}`;
  const sites = Array.from({ length: 10 }, (_, site) => {
    const servers = Array.from({ length: 5 }, (__, server) => `p${site * 5 + server + 1}`);
    return `  ${name(site)}: { servers: [${servers.join(", ")}], load: 0 }`;
  });
  const links = sites.flatMap((_, a) =>
    sites
      .slice(a + 1)
      .map((__, b) => `  - { between: [${name(a)}, ${name(a + 1 + b)}], rtt: ${10 + a + b}ms }`),
  );
  // Somebody must have the load; it gives one machine more.
  const text = ["sites:", ...sites, "links:", ...links, ""].join("\n").replace("load: 0", "load: 1");
  return parseTopology(text, "fifty.yaml");
}
