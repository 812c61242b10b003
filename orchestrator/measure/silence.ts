/**
 * How long nobody anywhere was acknowledged anything, whoever led: the longest time between two
 * acknowledgements that ended after the fault. An outage ends with a later leader; this is told also of a
 * fault that changed none, and of a service that came back under the old one.
 */

import type { WriteOperation } from "../workload/operation.ts";

export interface Silence {
  readonly ms: number;
  /** It lasted until the load ended, so it is known only to be at least that. */
  readonly atLeast: boolean;
}

/** In microseconds since the load began; null when nobody was acknowledged anything before the fault. */
export function silence(operations: readonly WriteOperation[], fault: number, end: number): Silence | null {
  const acknowledged = operations.flatMap(({ outcome, completed }) => (outcome === "ok" ? [completed] : []));
  const since = acknowledged.reduce((latest, at) => (at <= fault ? Math.max(latest, at) : latest), -Infinity);
  if (since === -Infinity) return null;
  const later = acknowledged.filter((at) => at > fault).sort((a, b) => a - b);
  let [longest, last] = [0, since];
  for (const at of later) {
    longest = Math.max(longest, at - last);
    last = at;
  }
  const open = end - last;
  return open > longest ? { ms: open / 1e3, atLeast: true } : { ms: longest / 1e3, atLeast: false };
}
