/**
 * Does anyone still wait when the service is back? The question of etcd's issue 12680, where single requests
 * stood still for seconds long after the next leader had served others.
 *
 * A server is back with the first write of a later leader that was acknowledged through it. What becomes due
 * after that should take as long as it always takes; how much longer the slowest took than is usual at its
 * site is the stall. What was due before then waited for the outage, which is counted elsewhere.
 */

import { epochOf, type Zxid } from "#node/core/zxid.ts";
import { latencyMs, type WriteOperation } from "../workload/operation.ts";
import { median } from "../statistics/summary.ts";

export interface Stall {
  /** Above the median of its site; of a request that was not acknowledged, until that was known. */
  readonly ms: number;
  /** The slowest, or null when none took longer than is usual. */
  readonly slowest: WriteOperation | null;
  /** Requests that were looked at: due at a server that was back. */
  readonly requests: number;
}

/** Null when no server came back, or nothing was due afterwards. */
export function stall(operations: readonly WriteOperation[], faultAt: number, epoch: number): Stall | null {
  const backAt = new Map<number, number>();
  for (const { server, completed, outcome, zxid } of operations) {
    if (outcome !== "ok" || completed < faultAt || epochOf(zxid as Zxid) < epoch) continue;
    backAt.set(server, Math.min(backAt.get(server) ?? Infinity, completed));
  }
  const due = operations.filter(({ server, intended }) => intended >= (backAt.get(server) ?? Infinity));
  if (due.length === 0) return null;
  const usual = new Map(
    [...Map.groupBy(due, ({ site }) => site)].map(([site, own]) => [site, median(own.map(latencyMs))]),
  );
  let [ms, slowest]: [number, WriteOperation | null] = [0, null];
  for (const operation of due) {
    const above = latencyMs(operation) - (usual.get(operation.site) ?? 0);
    if (above > ms) [ms, slowest] = [above, operation];
  }
  return { ms, slowest, requests: due.length };
}
