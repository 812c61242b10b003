/**
 * Figure 3: what one TCP connection carries, by round-trip time. It is about the emulated network alone, so
 * there is no trial: two machines, a flow between them, and whatever the kernel's TCP makes of the distance.
 */

import { readFileSync } from "node:fs";
import { milliseconds } from "#node/core/time.ts";
import { middleOf } from "../statistics/middle.ts";
import { sweepLines } from "../report/chart/sweep-lines.ts";
import { openTestbed } from "../testbed/testbed.ts";
import { parseTopology, type Topology, withLink } from "../topology/topology.ts";
import type { Runtime } from "../plan/plan.ts";
import type { ExperimentResult } from "./experiment.ts";

export const FIGURE_3 = {
  figure: "3",
  section: "4.1",
  claim: "What a TCP connection carries falls with the round-trip time: about 940 Mbit/s in the LAN.",
} as const;

/** Those of the paper's tables. */
export const ROUND_TRIPS_MS = [0.1, 9.88, 20.75, 53.26, 77.06, 172.47] as const;
/** The best second of a flow counts, and a long way takes a few seconds to be filled. */
const SECONDS = { quick: 4, whole: 10 };

/** The paper's machines had gigabit cards. */
const PAIR = `sites:
  a: { servers: [p1], load: 1 }
  b: { servers: [p2], load: 0 }
links:
  - { between: [a, b], rtt: 1ms, rate: 1gbit }
`;

/** Bits per second of one flow at this round-trip time. */
export async function bandwidthAt(roundTripMs: number, runtime: Runtime, quick: boolean): Promise<number> {
  await using testbed = await openTestbed({
    topology: apart(roundTripMs),
    infrastructure: runtime === "docker" ? "docker" : "netns",
    congestionControl: "cubic",
  });
  const { ways } = await testbed.certify({
    rounds: 10,
    bandwidthSeconds: quick ? SECONDS.quick : SECONDS.whole,
  });
  const there = ways.find(({ from, to }) => from === "a" && to === "b");
  const bandwidth = there?.bandwidth ?? null;
  if (bandwidth === null) throw new Error(`no flow was measured over ${roundTripMs} ms`);
  return bandwidth;
}

function apart(roundTripMs: number): Topology {
  const topology = parseTopology(PAIR, "figure-3.yaml");
  const shape = { ...topology.link("a", "b"), delay: milliseconds(roundTripMs / 2) };
  return withLink(withLink(topology, "a", "b", shape), "b", "a", shape);
}

/** `measured` in the order of `ROUND_TRIPS_MS`, in bits per second. */
export function figure3(measured: readonly number[], conditions: string): ExperimentResult {
  const mbit = measured.map((bits) => bits / 1e6);
  const window = receiveWindow();
  const bounds = ROUND_TRIPS_MS.map((ms) => Math.min(GIGABIT, (window * 8) / (ms * 1e3)));
  const never = mbit.every((value, at) => at === 0 || value <= (mbit[at - 1] ?? 0) * 1.03);
  const [nearest = 0, farthest = nearest] = [mbit[0], mbit.at(-1)];
  const falls = never && farthest < nearest / 2;
  return {
    figures: [
      sweepLines({
        name: "figure-3",
        title: "How much does one TCP connection carry, by distance?",
        caption: `cubic, this kernel's buffers, gigabit links; ${conditions}`,
        xAxis: "round-trip time (ms)",
        yAxis: "best second of a flow (Mbit/s)",
        xs: ROUND_TRIPS_MS,
        lines: [
          {
            label: "one TCP connection",
            points: mbit.map((value) => middleOf([value])),
          },
        ],
        bound: { label: "at most: the link, and a receive window each round trip", values: bounds },
      }),
    ],
    comparison: ROUND_TRIPS_MS.map((ms, at) => ({
      what: ms === 0.1 ? "in the LAN" : `rtt ${ms} ms`,
      paper: ms === 0.1 ? "about 940 Mbit/s" : "less, the longer",
      physics: `${Math.round(bounds[at] ?? 0)} Mbit/s at most (the link, the receive window)`,
      here: `${Math.round(mbit[at] ?? 0)} Mbit/s`,
    })),
    checks: [
      { what: "bandwidth falls with the round-trip time, to less than half at the farthest", holds: falls },
      { what: "the LAN carries a gigabit card's 940 Mbit/s", holds: (mbit[0] ?? 0) > 900 },
    ],
  };
}

/**
 * A card spends 6 % of it on the heads of packets of 1500 bytes; the plane carries segments of up to 64 KiB.
 */
const GIGABIT = 1000;

/** Linux lets a receive buffer grow to this, and offers half of it as window. */
const receiveWindow = (): number =>
  Number(readFileSync("/proc/sys/net/ipv4/tcp_rmem", "utf8").trim().split(/\s+/)[2]) / 2;
