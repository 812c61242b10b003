/** How much the plane carries: packets, and bits of one TCP flow. */

import { Plane } from "../../testbed/network/plane.ts";
import { pairOf, Prober } from "../../testbed/network/prober.ts";
import type { TestbedOptions } from "../../testbed/testbed.ts";
import type { Note } from "./line.ts";
import { open, star } from "./star.ts";

const PAPER_ROUND_TRIPS = [9.88, 20.75, 53.26, 77.06];

/** Two machines at this round-trip time, and what one TCP flow between them does. */
async function flow(rtt: number, options: Partial<TestbedOptions>, seconds: number): Promise<Flow> {
  await using testbed = await open(star([rtt]), { congestionControl: "cubic", ...options });
  await using prober = new Prober(testbed.infrastructure);
  const plane = testbed.network;
  if (!(plane instanceof Plane)) throw new Error("the bench measures the plane");
  const pair = pairOf(testbed.machine("p1"), testbed.machine("p2"));
  // What was just started is slow at first, and that is not what it can carry.
  await prober.ask({ kind: "bandwidth", pair, seconds: 1, buffers: null });
  const before = await plane.detail();
  const { perSecond } = await prober.ask({ kind: "bandwidth", pair, seconds, buffers: null });
  const after = await plane.detail();
  const packets = after.delivered - before.delivered;
  return {
    bitsPerSecond: Math.max(...perSecond),
    packetsPerSecond: packets / seconds,
    microsecondsPerPacket: ((after.processor - before.processor) * 1e6) / packets,
  };
}

interface Flow {
  readonly bitsPerSecond: number;
  readonly packetsPerSecond: number;
  readonly microsecondsPerPacket: number;
}

/** As much as a flow at the longest of the paper's round-trip times can have under way at 3 Gbit/s. */
const LARGE_BUFFERS = 64 << 20;

export async function capacity(note: Note): Promise<void> {
  const small = await flow(0.2, { offloads: false, socketBuffers: LARGE_BUFFERS }, 4);
  note("one TCP flow, MTU 1500, no offloads", "Gbit/s", { least: 1.4 }, small.bitsPerSecond / 1e9);
  note("its packets, both directions", "1000/s", { least: 200 }, small.packetsPerSecond / 1e3);
  note("processor time per packet under load", "us", { most: 6 }, small.microsecondsPerPacket);
  const large = await flow(20.75, { socketBuffers: 256 << 20 }, 6);
  note("one TCP flow with offloads, RTT 20.75 ms", "Gbit/s", { least: 15 }, large.bitsPerSecond / 1e9);
}

export async function bandwidths(note: Note): Promise<void> {
  for (const rtt of PAPER_ROUND_TRIPS) {
    const wide = await flow(rtt, { socketBuffers: LARGE_BUFFERS }, 5);
    note(`one TCP flow, RTT ${rtt} ms, 64 MiB buffers`, "Mbit/s", { least: 940 }, wide.bitsPerSecond / 1e6);
    const plain = await flow(rtt, {}, 4);
    note(`one TCP flow, RTT ${rtt} ms, this kernel's buffers`, "Mbit/s", null, plain.bitsPerSecond / 1e6);
  }
}
