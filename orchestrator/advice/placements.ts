/** Every way to put so many servers on sites: which sites, and how many on each. */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { type Topology, withServers } from "../topology/topology.ts";

/** The site of each server, in the order of the sites. */
export type Placement = readonly string[];

export function* placementsOf(sites: readonly string[], servers: number, most: number): Generator<Placement> {
  const [first, ...rest] = sites;
  if (servers === 0) yield [];
  if (first === undefined || servers === 0) return;
  for (let here = Math.min(most, servers); here >= 0; here--) {
    const at = Array.from({ length: here }, () => first);
    for (const others of placementsOf(rest, servers - here, most)) yield [...at, ...others];
  }
}

/** How many there are, without making them. */
export function countOfPlacements(sites: number, servers: number, most: number): number {
  let ways = [1, ...Array.from({ length: servers }, () => 0)];
  for (let site = 0; site < sites; site++) {
    const before = ways;
    ways = before.map((_, total) =>
      before.slice(Math.max(0, total - most), total + 1).reduce((sum, count) => sum + count, 0),
    );
  }
  return ways[servers] ?? 0;
}

/** The least number at a site with which all find room. */
export const leastAtASite = (sites: number, servers: number): number => Math.ceil(servers / sites);

/** The topology with servers p1, p2, ... there, and nowhere else. */
export function placed(topology: Topology, placement: Placement): Topology {
  const at = new Map<string, ServerId[]>();
  for (const [index, site] of placement.entries()) {
    const here = at.get(site) ?? [];
    here.push(serverId(index + 1));
    at.set(site, here);
  }
  return withServers(topology, at);
}

/** Where the servers of a topology are now. */
export const placementOf = (topology: Topology): Placement =>
  [...topology.sites.values()].flatMap(({ name, servers }) => servers.map(() => name));

/** For people: a site with several servers once, with their number. */
export function printPlacement(placement: Placement): string {
  const counts = Map.groupBy(placement, (site) => site);
  return [...counts].map(([site, { length }]) => (length === 1 ? site : `${site} x${length}`)).join(", ");
}
