/**
 * Who sends when: fixed before the run begins, from the seed alone.
 *
 * The load is an open loop: a request is sent when its time has come, whether or not earlier ones were
 * answered, and its latency counts from that time. A closed loop would send nothing while there is no leader,
 * and so would not notice that there was none. Each site's requests go to its servers uniformly at random, as
 * in the POLE paper (section 4.1).
 *
 * The file is one line of JSON with the clients, then `intended_us,client` lines in order of time; any
 * program that can read it can send the load.
 */

import { Random } from "#node/core/random.ts";
import type { Duration } from "#node/core/time.ts";
import { accessOf } from "../topology/model.ts";
import type { Topology } from "../topology/topology.ts";
import type { Client, Workload } from "./workload.ts";

export interface Schedule {
  readonly payloadBytes: number;
  readonly clients: readonly Client[];
  /** Microseconds since the load began, ascending. */
  readonly intended: Float64Array;
  /** The client of each arrival. */
  readonly client: Uint16Array;
}

/**
 * Every server of a site with load has one client, numbered from 1 in order of the servers. Clients of a site
 * without servers are those of the nearest site's, one each.
 */
export function clientsOf(topology: Topology): readonly Client[] {
  const access = [...accessOf(topology)].filter(([site]) => (topology.sites.get(site)?.load ?? 0) > 0);
  return [...topology.servers.keys()]
    .flatMap((home) =>
      access.filter(([, { servers }]) => servers.includes(home)).map(([site]) => ({ site, home })),
    )
    .map((client, index) => ({ id: index + 1, ...client }));
}

export function scheduleOf(
  topology: Topology,
  workload: Workload,
  duration: Duration,
  seed: number,
): Schedule {
  const clients = clientsOf(topology);
  const arrivals: { readonly at: number; readonly client: number }[] = [];
  for (const [index, site] of [...topology.sites.values()].entries()) {
    const local = clients.filter((client) => client.site === site.name).map(({ id }) => id);
    if (local.length === 0) continue;
    const random = new Random(seed, ARRIVALS_STREAM + index);
    const gap = 1e6 / (workload.ratePerSecond * site.load);
    const next = (): number => (workload.arrivals === "even" ? gap : gap * random.exponential());
    for (let at = random.unit() * gap; at < duration; at += next()) {
      arrivals.push({ at: Math.floor(at), client: random.pick(local) });
    }
  }
  arrivals.sort((a, b) => a.at - b.at || a.client - b.client);
  return {
    payloadBytes: workload.payloadBytes,
    clients,
    intended: Float64Array.from(arrivals, ({ at }) => at),
    client: Uint16Array.from(arrivals, ({ client }) => client),
  };
}

export function printSchedule({ payloadBytes, clients, intended, client }: Schedule): string {
  const lines = [JSON.stringify({ format: FORMAT, payloadBytes, clients })];
  for (let index = 0; index < intended.length; index++) lines.push(`${intended[index]},${client[index]}`);
  return `${lines.join("\n")}\n`;
}

export function parseSchedule(text: string): Schedule {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const { format, payloadBytes, clients } = JSON.parse(head) as Schedule & { format: string };
  if (format !== FORMAT) throw new Error(`a schedule begins with ${FORMAT}, this one with "${format}"`);
  const rows = lines.map((line) => line.split(","));
  return {
    payloadBytes,
    clients,
    intended: Float64Array.from(rows, ([at]) => Number(at)),
    client: Uint16Array.from(rows, ([, client]) => Number(client)),
  };
}

const FORMAT = "polebench schedule 1";
/** Draws of one site must not shift when another site's load changes. */
const ARRIVALS_STREAM = 100;
