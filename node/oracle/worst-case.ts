/**
 * theta_w: how long a write takes for the client that is worst off, whether it sends one or not.
 *
 *   theta_w(p) = theta_c(p) + max over r in N' of RTT(r, p)     (Eq. 2, printed with theta_l on its left)
 */

import { type Duration, microseconds, toMilliseconds } from "../core/time.ts";
import { consensusLatency, quorumMeasured } from "./consensus.ts";
import type { View } from "./oracle.ts";
import { timed } from "./timed.ts";

const farthest = ({ roundTrips }: View): Duration => microseconds(Math.max(...roundTrips.values()));

export const worstCase = timed({
  cost(view) {
    const ofConsensus = consensusLatency(view);
    return ofConsensus === null ? null : microseconds(ofConsensus + farthest(view));
  },
  ready: quorumMeasured,
  explain(view): Record<string, number> {
    const ofConsensus = consensusLatency(view);
    const farthestMs = toMilliseconds(farthest(view));
    if (ofConsensus === null) return { farthestMs };
    const consensusMs = toMilliseconds(ofConsensus);
    return { worstMs: consensusMs + farthestMs, consensusMs, farthestMs };
  },
});
