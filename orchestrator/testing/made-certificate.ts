/** A certificate made by hand for tests: what was asked is what the mean round trips say. */

import type { Certificate } from "../testbed/network/certificate.ts";

export type MadeWay = readonly [from: string, to: string, roundTripMs: number];

export function madeCertificate(ways: readonly MadeWay[], change: Partial<Certificate> = {}): Certificate {
  return {
    version: 1,
    topology: "3dc",
    engine: "plane",
    infrastructure: "netns",
    condition: "idle",
    verdict: "valid",
    reasons: [],
    ways: ways.map(([from, to, roundTripMs]) => {
      const mean = roundTripMs * 500;
      const moments = { mean, sd: 600, p50: mean, p99: mean + 2000 };
      return {
        from,
        to,
        samples: 100,
        asked: moments,
        achieved: moments,
        onTime: { sd: 600, stalled: 0 },
        meanError: 0,
        ks: 0.03,
        loss: { asked: 0, achieved: 0 },
        reordered: 0,
        roundTrip: { asked: 2 * mean, udp: 2 * mean, tcp: 2 * mean + 50 },
        bandwidth: null,
        faults: [],
      };
    }),
    processor: 0.1,
    late: 0,
    congestionControl: "cubic",
    remark: "made",
    ...change,
  };
}
