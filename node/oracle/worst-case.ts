/**
 * theta_w: how long a write takes for the client that is worst off, whether it sends one or not.
 *
 *   theta_w(p) = theta_c(p) + max over r in N' of RTT(r, p)     (Eq. 2, printed with theta_l on its left)
 */

import { type Duration, microseconds, toMilliseconds } from "../core/time.ts";
import { consensusLatency, quorumMeasured } from "./consensus.ts";
import type { Oracle, View } from "./oracle.ts";
import { lessIsBetter, NONE } from "./order.ts";

const farthest = ({ roundTrips }: View): Duration => microseconds(Math.max(...roundTrips.values()));

export const worstCase: Oracle = {
  score(view) {
    const ofConsensus = consensusLatency(view);
    return ofConsensus === null ? NONE : [ofConsensus + farthest(view)];
  },
  compare: lessIsBetter,
  ready: quorumMeasured,
  explain(view): Record<string, number> {
    const ofConsensus = consensusLatency(view);
    const farthestMs = toMilliseconds(farthest(view));
    if (ofConsensus === null) return { farthestMs };
    const consensusMs = toMilliseconds(ofConsensus);
    return { worstMs: consensusMs + farthestMs, consensusMs, farthestMs };
  },
};
