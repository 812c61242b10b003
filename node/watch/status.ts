/**
 * What a server can tell about itself, as one value: the four-letter words, the pages that say the same as
 * JSON, and the tests all read this.
 */

import type { Instant } from "../core/time.ts";
import { printZxid } from "../core/zxid.ts";
import type { ClientConnection } from "../front/client-connection.ts";
import type { Schedule } from "../front/expiry.ts";
import type { Front } from "../front/front.ts";
import type { Spread } from "../core/spread.ts";
import type { Tree } from "../tree/tree.ts";

/** What only the host knows. */
export interface HostFacts {
  /** `3.8.0-...`: clients read the digits to learn what they may ask for. */
  readonly version: string;
  /** Its number in the ensemble. */
  readonly self: number;
  readonly role: "leader" | "follower" | "observer" | "standalone" | "read-only" | "looking";
  readonly uptimeMs: number;
  readonly openFiles: number;
  readonly maxFiles: number;
  readonly dataBytes: number;
  readonly logBytes: number;
  /** Lines of `conf` and `envi`, in order. */
  readonly configuration: readonly (readonly [string, string | number])[];
  readonly environment: readonly (readonly [string, string])[];
  /** What else is counted, for `mntr` and Prometheus. */
  readonly metrics: readonly (readonly [string, string | number])[];
  /** What is measured again and again. */
  readonly spreads: readonly (readonly [string, Spread])[];
  /** Of the process, by the names that Prometheus has for them. */
  readonly process: readonly (readonly [string, number])[];
  /** Null for a server that is alone. */
  readonly ensemble: {
    /** As ZooKeeper calls it: election, discovery, synchronization, broadcast. */
    readonly phase: string;
    readonly leader: { readonly id: number; readonly host: string } | null;
    readonly servers: readonly { readonly id: number; readonly address: string }[];
  } | null;
  /** While this server leads: bytes of what it proposed. */
  readonly proposals: Spread | null;
  /** The last one, and when it was written in milliseconds since 1970. */
  readonly snapshot: { readonly zxid: string; readonly at: number } | null;
  /** Milliseconds since 1970 at an instant. */
  readonly timeOfDay: (at: Instant) => number;
}

export interface LatencySummary {
  readonly minMs: number;
  readonly avgMs: number;
  readonly maxMs: number;
}

export interface ConnectionStatus {
  readonly address: string;
  readonly queued: number;
  readonly received: number;
  readonly sent: number;
  /** Null before there is one. */
  readonly session: {
    readonly id: number;
    readonly lastOperation: string;
    readonly establishedAt: number;
    readonly timeoutMs: number;
    readonly lastXid: number;
    readonly lastZxid: number;
    readonly lastResponseAt: number;
    readonly latency: LatencySummary & { readonly lastMs: number };
  } | null;
}

export interface Status {
  readonly host: HostFacts;
  readonly serving: boolean;
  readonly zxid: string;
  readonly latency: LatencySummary;
  /** Bytes of what was said to clients. */
  readonly responses: Spread;
  readonly received: number;
  readonly sent: number;
  readonly connections: readonly ConnectionStatus[];
  readonly outstanding: number;
  readonly znodes: number;
  readonly ephemerals: number;
  readonly dataSize: number;
  readonly sessions: readonly {
    readonly id: number;
    readonly timeoutMs: number;
    readonly ephemerals: readonly string[];
  }[];
  /** Of the leader only: when which sessions end, in milliseconds since 1970. */
  readonly expiring: readonly (readonly [number, readonly number[]])[] | null;
  readonly watches: { readonly clients: number; readonly paths: number; readonly watches: number };
  readonly watchesBySession: readonly (readonly [number, readonly string[]])[];
}

export function statusOf(
  front: Front,
  tree: Tree,
  expiring: Schedule | null,
  serving: boolean,
  host: HostFacts,
): Status {
  const { state, watches } = tree;
  const connections = [...front.connections.values()];
  const sessions = [...state.sessions.all()].map(({ id, timeoutMs, ephemerals }) => ({
    id,
    timeoutMs,
    ephemerals: [...ephemerals],
  }));
  return {
    host,
    serving,
    zxid: printZxid(tree.applied),
    latency: summary(front.counts.latencies),
    responses: front.counts.responses,
    received: front.counts.packets.received,
    sent: front.counts.packets.sent,
    connections: connections.map((connection) => connectionStatus(connection, host)),
    outstanding: connections.reduce((sum, { asked }) => sum + asked, 0),
    znodes: state.nodes.size,
    ephemerals: sessions.reduce((sum, { ephemerals }) => sum + ephemerals.length, 0),
    dataSize: state.nodes.bytes,
    sessions,
    expiring: expiring?.map(([at, ids]) => [host.timeOfDay(at), ids] as const) ?? null,
    watches: watches.counts,
    watchesBySession: [...watches.byClient()].map(
      ([client, paths]) => [front.connections.get(client)?.session ?? 0, [...paths]] as const,
    ),
  };
}

function connectionStatus(connection: ClientConnection, host: HostFacts): ConnectionStatus {
  const { received, sent, asked, latencies } = connection;
  const open = connection.phase === "open";
  return {
    address: `${connection.address}:${connection.port}`,
    queued: asked,
    received,
    sent,
    session: open
      ? {
          id: connection.session,
          lastOperation: connection.lastOperation,
          establishedAt: host.timeOfDay(connection.since),
          timeoutMs: connection.timeoutMs,
          lastXid: connection.lastXid,
          lastZxid: connection.lastZxid,
          lastResponseAt: host.timeOfDay(connection.lastAnswerAt),
          latency: { ...summary(latencies), lastMs: Math.floor(latencies.last / 1000) },
        }
      : null,
  };
}

const summary = ({ least, mean, most }: Spread): LatencySummary => ({
  minMs: Math.floor(least / 1000),
  avgMs: Math.round(mean * 10) / 10_000,
  maxMs: Math.floor(most / 1000),
});
