/**
 * theta_l: how long a write takes on average. It travels from the server its client talks to, to the leader
 * and back (nothing, when that is the leader itself), and there waits for a quorum.
 *
 *   theta_l(p) = theta_c(p) + sum over r in N' of theta_r(r) / lambda_T * RTT(r, p)          (Eq. 1)
 *
 * The equation is printed with the one-way delay; the text says round-trip time, and only that gives the
 * figures. Without any requests yet, all servers are taken to get equally many.
 */

import { type Duration, microseconds, toMilliseconds } from "../core/time.ts";
import { consensusLatency, quorumMeasured } from "./consensus.ts";
import type { View } from "./oracle.ts";
import { timed } from "./timed.ts";

/** Mean time from the server that takes a request to this one and back. */
function forwarding({ roundTrips, requestRates }: View): Duration {
  const total = [...requestRates.values()].reduce((sum, rate) => sum + rate, 0);
  let mean = 0;
  for (const [server, rtt] of roundTrips) {
    const share = total === 0 ? 1 / roundTrips.size : (requestRates.get(server) ?? 0) / total;
    mean += share * rtt;
  }
  return microseconds(mean);
}

export const latency = timed({
  cost(view) {
    const ofConsensus = consensusLatency(view);
    return ofConsensus === null ? null : microseconds(ofConsensus + forwarding(view));
  },
  ready: quorumMeasured,
  explain(view): Record<string, number> {
    const ofConsensus = consensusLatency(view);
    const forwardingMs = toMilliseconds(forwarding(view));
    if (ofConsensus === null) return { forwardingMs };
    const consensusMs = toMilliseconds(ofConsensus);
    return { meanMs: consensusMs + forwardingMs, consensusMs, forwardingMs };
  },
});
