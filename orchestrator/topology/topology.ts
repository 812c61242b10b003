/**
 * Who is where, and how far apart: sites, the servers and the client load placed on them, and for every
 * directed pair of sites the shape of its link.
 *
 * A topology is a pure value. The live testbed turns its link shapes into tc arguments or packet queues, the
 * simulated one into virtual delays, reports into maps and bounds. Delays are one-way means; a jitter never
 * moves the mean.
 */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert } from "#node/core/assert.ts";
import type { ServerId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import { type Jitter, type Link, type LinkShape, type MulticastLoss, pairKey, type Site } from "./link.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { readTopology } from "./reading.ts";

export type { Jitter, Link, LinkShape, MulticastLoss, Site };

export interface Topology {
  readonly name: string;
  readonly description: string;
  readonly sites: ReadonlyMap<string, Site>;
  /** Every server and its site, by ascending id. */
  readonly servers: ReadonlyMap<ServerId, string>;
  /** Does a packet never overtake another one of its link? */
  readonly ordered: boolean;
  readonly multicastLoss: MulticastLoss;
  /** Between two hosts of the given sites; the same site twice is its LAN. */
  link(from: string, to: string): Link;
}

/** Throws a RefusedInput that names each problem as `file:line:column: what`. */
export function parseTopology(text: string, file: string): Topology {
  const { sites, links, ...rest } = readTopology(text, file);
  return assemble({ ...rest, name: basename(file).replace(/\.ya?ml$/, "") }, sites, links);
}

const SHIPPED = fileURLToPath(new URL("../../topologies/", import.meta.url));

/** One of `topologies/` by its name, or any file by its path. */
export function loadTopology(nameOrPath: string): Topology {
  const { file, text } = topologyFile(nameOrPath);
  return parseTopology(text, file);
}

/** What stands in a file, for whoever must do without the file. */
export function topologyFile(nameOrPath: string): { readonly file: string; readonly text: string } {
  const isPath = /[/.]/.test(nameOrPath);
  const file = isPath ? nameOrPath : join(SHIPPED, `${nameOrPath}.yaml`);
  try {
    return { file, text: readFileSync(file, "utf8") };
  } catch {
    const hint = isPath ? " (no such file)" : suggestion(nameOrPath, shippedTopologies());
    throw new RefusedInput(`there is no topology "${nameOrPath}"${hint}`);
  }
}

export function shippedTopologies(): readonly string[] {
  return readdirSync(SHIPPED)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => basename(file, ".yaml"))
    .sort();
}

/**
 * The same topology with another link from `from` to `to`; for series over a round-trip time, and for both
 * ways twice.
 */
export function withLink(topology: Topology, from: string, to: string, shape: Partial<LinkShape>): Topology {
  const links = new Map<string, Link>();
  for (const a of topology.sites.keys()) {
    for (const b of topology.sites.keys()) {
      const link = topology.link(a, b);
      links.set(pairKey(a, b), a === from && b === to ? { ...link, ...shape } : link);
    }
  }
  return assemble(topology, topology.sites, links);
}

/**
 * The same topology with every delay exactly what it is: a mean over few packets is then the mean asked for.
 */
export function withoutJitter(topology: Topology): Topology {
  const links = new Map<string, Link>();
  for (const a of topology.sites.keys()) {
    for (const b of topology.sites.keys()) links.set(pairKey(a, b), { ...topology.link(a, b), jitter: null });
  }
  return assemble(topology, topology.sites, links);
}

/** The same topology in which every packet is lost with this chance, also inside of a site. */
export function withLoss(
  topology: Topology,
  loss: number,
  multicastLoss: MulticastLoss = topology.multicastLoss,
): Topology {
  const links = new Map<string, Link>();
  for (const a of topology.sites.keys()) {
    for (const b of topology.sites.keys()) links.set(pairKey(a, b), { ...topology.link(a, b), loss });
  }
  return assemble({ ...topology, multicastLoss }, topology.sites, links);
}

/** The same topology with these servers at these sites, and no others. */
export function withServers(topology: Topology, at: ReadonlyMap<string, readonly ServerId[]>): Topology {
  const sites = new Map<string, Site>();
  for (const [name, site] of topology.sites) sites.set(name, { ...site, servers: at.get(name) ?? [] });
  return { ...topology, sites, servers: serversOf(sites) };
}

/** The same topology with each way between two sites so many times as long, its jitter too. */
export function stretched(topology: Topology, by: (from: string, to: string) => number): Topology {
  const links = new Map<string, Link>();
  for (const a of topology.sites.keys()) {
    for (const b of topology.sites.keys()) {
      const link = topology.link(a, b);
      const times = a === b ? 1 : by(a, b);
      const longer = (duration: Duration): Duration => microseconds(times * duration);
      const jitter = link.jitter && { ...link.jitter, scale: longer(link.jitter.scale) };
      links.set(pairKey(a, b), times === 1 ? link : { ...link, delay: longer(link.delay), jitter });
    }
  }
  return assemble(topology, topology.sites, links);
}

/** The same topology with the client load shared out anew; sites not named get none. */
export function withLoad(topology: Topology, load: ReadonlyMap<string, number>): Topology {
  const total = [...load.values()].reduce((sum, part) => sum + part, 0);
  assert(total > 0, "somebody must send requests");
  const sites = new Map<string, Site>();
  for (const [name, site] of topology.sites)
    sites.set(name, { ...site, load: (load.get(name) ?? 0) / total });
  return { ...topology, sites };
}

function assemble(
  rest: Pick<Topology, "name" | "description" | "ordered" | "multicastLoss">,
  sites: ReadonlyMap<string, Site>,
  links: ReadonlyMap<string, Link>,
): Topology {
  return {
    name: rest.name,
    description: rest.description,
    ordered: rest.ordered,
    multicastLoss: rest.multicastLoss,
    sites,
    servers: serversOf(sites),
    link: (from, to) => {
      const link = links.get(pairKey(from, to));
      assert(link !== undefined, `no link from ${from} to ${to}`);
      return link;
    },
  };
}

/** By ascending id. */
const serversOf = (sites: ReadonlyMap<string, Site>): ReadonlyMap<ServerId, string> =>
  new Map(
    [...sites.values()]
      .flatMap((site) => site.servers.map((server): [ServerId, string] => [server, site.name]))
      .sort(([a], [b]) => a - b),
  );
