/**
 * Servers placed at random: a map that nobody chose, on which what physics allows is demanded. One seed draws
 * a whole plan: sites, distances that need obey no geometry, who is where, where the load comes from, by
 * which oracle, and who leads until it dies.
 */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { Random } from "#node/core/random.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import { planTrial } from "../plan/flags.ts";
import { type ServicePlan, withService } from "../plan/plan.ts";
import { parseTopology, type Topology } from "../topology/topology.ts";

/** Whom they elect follows from the map alone. */
const ORACLES: readonly OracleName[] = ["latency", "latency", "consensus", "worst-case", "preference"];
const LEAST_RTT_MS = 1;
const MOST_RTT_MS = 250;

export function placement(seed: number): ServicePlan {
  const random = new Random(seed);
  const topology = drawMap(random, seed);
  const servers = [...topology.servers.keys()];
  const name = random.pick(ORACLES);
  const plan = planTrial(
    {
      seed: String(seed),
      // So few that nothing waits behind anything else, on the longest way too.
      rate: "40/s",
      duration: "14s",
      warmUp: "1s",
      settle: "4s",
      fault: ["5s crash leader"],
    },
    "sim",
  );
  const oracle = { name, preference: name === "preference" ? random.shuffle(servers) : [], module: null };
  return withService({ ...plan, topology }, { oracle, firstLeader: random.pick(servers) });
}

function drawMap(random: Random, seed: number): Topology {
  const sites = Array.from({ length: random.integer(2, 5) }, (_, index) => `s${index + 1}`);
  const servers = Array.from({ length: random.integer(3, 7) }, (_, index) => serverId(index + 1));
  const at = new Map<string, ServerId[]>(sites.map((site) => [site, []]));
  for (const server of servers) at.get(random.pick(sites))?.push(server);
  const lines = sites.map((site) => {
    const here = (at.get(site) ?? []).map((server) => `p${server}`);
    const load = here.length === 0 ? 0 : random.integer(1, 4);
    return `  ${site}: { servers: [${here.join(", ")}], load: ${load} }`;
  });
  const links = sites.flatMap((a, index) =>
    sites.slice(index + 1).map((b) => {
      const rtt = LEAST_RTT_MS + random.unit() * (MOST_RTT_MS - LEAST_RTT_MS);
      return `  - { between: [${a}, ${b}], rtt: ${rtt.toFixed(1)}ms }`;
    }),
  );
  return parseTopology(
    `sites:\n${lines.join("\n")}\nlinks:\n${links.join("\n")}\n`,
    `placement-${seed}.yaml`,
  );
}
