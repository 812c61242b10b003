/**
 * theta_c: how long a leader waits for a quorum. It asks everybody at once, and the middle answer completes
 * the quorum: of five servers the third nearest, itself counted as the nearest.
 *
 * theta_c(p) = the (floor(N/2) + 1)-th smallest round-trip time of p, p's own 0 included. The disk is left
 * out, being fast against a WAN (section 2.2). A server that knows fewer has no theta_c: it reaches no quorum
 * and is the worst leader.
 */

import { majority } from "../core/quorum.ts";
import { type Duration, toMilliseconds } from "../core/time.ts";
import type { View } from "./oracle.ts";
import { timed } from "./timed.ts";

/** null when no quorum is within reach. */
export function consensusLatency({ roundTrips, servers }: View): Duration | null {
  const ascending = [...roundTrips.values()].sort((a, b) => a - b);
  return ascending[majority(servers.length) - 1] ?? null;
}

/** Everyone connected has been measured, and a quorum with them: what the theta_c in a score needs. */
export const quorumMeasured = (view: View): boolean =>
  view.unmeasured.length === 0 && consensusLatency(view) !== null;

export const consensus = timed({
  cost: consensusLatency,
  ready: quorumMeasured,
  explain(view): Record<string, number> {
    const latency = consensusLatency(view);
    return latency === null ? {} : { consensusMs: toMilliseconds(latency) };
  },
});
