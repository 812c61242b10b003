/**
 * How short an outage can be when a leader dies and another server follows it: what the ways allow, when each
 * server goes straight to the successor and nothing else takes time.
 *
 * n(F) is when server F learns of the death: the time the dead process is buried, and the way of the news;
 * where nobody tells, the time of silence. d(F, L) is the way from F to the successor L. L can lead when it
 * knows itself, and of a quorum with it everybody's word has come:
 *
 *   E = max(n(L), the (q-1)-th smallest of n(F) + d(F, L))
 *
 * A write of a client at F is then at L, waits there for a quorum (theta_c) and is told on the way back:
 *
 *   max(E, n(F) + d(F, L)) + theta_c(L) + d(L, F)
 *
 * What the successor lacks of the history, and would have to fetch, comes on top.
 */

import type { ServerId } from "#node/core/identity.ts";
import { majority } from "#node/core/quorum.ts";
import type { Topology } from "./topology.ts";

export interface OutageFloor {
  /** E: the successor can be established, in milliseconds after the death. */
  readonly establishedMs: number;
  /** The first write of a client beside the successor. */
  readonly besideMs: number;
  /** The first write of any client that there is. */
  readonly ms: number;
  /** The first write of each site that has clients. */
  readonly sites: ReadonlyMap<string, number>;
}

/** When each server that lives learned of the death, in milliseconds after it. */
export type News = (server: ServerId) => number;

/**
 * The death is told by the kernel of the dead, once it has buried the process; of several, the last one's.
 */
export const newsOf =
  (topology: Topology, dead: readonly ServerId[], buryingMs = 0): News =>
  (server) =>
    buryingMs + Math.max(0, ...dead.map((gone) => wayMs(topology, gone, server)));

/** Null when no quorum lives, or the successor does not. */
export function outageFloor(
  topology: Topology,
  successor: ServerId,
  dead: readonly ServerId[],
  news: News,
): OutageFloor | null {
  const living = [...topology.servers.keys()].filter((server) => !dead.includes(server));
  const quorum = majority(topology.servers.size);
  if (living.length < quorum || !living.includes(successor)) return null;
  const there = (server: ServerId): number => wayMs(topology, server, successor);
  const back = (server: ServerId): number => wayMs(topology, successor, server);
  const others = living.filter((server) => server !== successor);
  const words = others.map((server) => news(server) + there(server));
  const trips = others.map((server) => there(server) + back(server));
  const establishedMs = Math.max(news(successor), smallest(words, quorum - 1));
  const besideMs = establishedMs + smallest(trips, quorum - 1);
  const at = (server: ServerId): number =>
    besideMs + Math.max(0, news(server) + there(server) - establishedMs) + back(server);
  const sites = new Map<string, number>();
  for (const { name, load } of topology.sites.values()) {
    const own = living.filter((server) => topology.servers.get(server) === name);
    // Clients of a site that has no server left go elsewhere, and the answer comes from there.
    const from = own.length > 0 ? own : living;
    const firsts = from.map(
      (server) => at(server) + topology.link(siteOf(topology, server), name).delay / 1e3,
    );
    if (load > 0) sites.set(name, Math.min(...firsts));
  }
  return { establishedMs, besideMs, ms: Math.min(...sites.values()), sites };
}

/** The `count`-th smallest; 0 of nobody. */
const smallest = (values: readonly number[], count: number): number =>
  count === 0 ? 0 : (values.toSorted((a, b) => a - b)[count - 1] ?? Number.POSITIVE_INFINITY);

const wayMs = (topology: Topology, from: ServerId, to: ServerId): number =>
  from === to ? 0 : topology.link(siteOf(topology, from), siteOf(topology, to)).delay / 1e3;

const siteOf = (topology: Topology, server: ServerId): string => topology.servers.get(server) ?? "";
