/**
 * How long nobody was served: from the fault until the first write that the next leader acknowledged, as its
 * client saw it.
 *
 * What the old leader had committed may still be acknowledged after its death, and is no sign of recovery;
 * the epoch in a write's zxid tells whose it was.
 */

import { epochOf, type Zxid } from "#node/core/zxid.ts";
import type { WriteOperation } from "../workload/operation.ts";

export interface Outage {
  /** Until the first client anywhere was served. */
  readonly ms: number;
  /** Until the first client of each site was. */
  readonly sites: Readonly<Record<string, number>>;
  /** When the first was, in microseconds since the load began. */
  readonly endedAt: number;
  readonly epoch: number;
  /** That answered the first client. */
  readonly server: number;
}

/** Null when no later leader served anyone. */
export function outage(operations: readonly WriteOperation[], faultAt: number): Outage | null {
  const acknowledged = operations.filter(({ outcome }) => outcome === "ok");
  const oldEpoch = acknowledged.reduce(
    (latest, { completed, zxid }) => (completed < faultAt ? Math.max(latest, epochOf(zxid as Zxid)) : latest),
    0,
  );
  const sites: Record<string, number> = {};
  let first: WriteOperation | null = null;
  for (const operation of acknowledged) {
    const { completed, site, zxid } = operation;
    if (completed < faultAt || epochOf(zxid as Zxid) <= oldEpoch) continue;
    const ms = (completed - faultAt) / 1e3;
    sites[site] = Math.min(sites[site] ?? ms, ms);
    if (first === null || completed < first.completed) first = operation;
  }
  if (first === null) return null;
  return {
    ms: (first.completed - faultAt) / 1e3,
    sites,
    endedAt: first.completed,
    epoch: epochOf(first.zxid as Zxid),
    server: first.server,
  };
}
