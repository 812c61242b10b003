/**
 * The fidelity certificate: measures a network from outside, by packets like any other's, and says how near
 * it came to what was asked. Taken before the load starts and again under load, and stored with every run.
 */

import { feed } from "../command-feed.ts";
import type { Infrastructure, Machine } from "../infrastructure/infrastructure.ts";
import type { Topology } from "../../topology/topology.ts";
import { IDLE, type Judged, judge, LOADED, type Sample, type Tolerance } from "./fidelity.ts";
import { judgeMulticast, type MulticastJudged } from "./multicast.ts";
import { directedPairs, type Network, type NetworkReport } from "./network.ts";
import type { Handshakes, OneWay } from "./probe/survey.ts";
import { pairOf, type Prober } from "./prober.ts";

export interface Certificate {
  readonly version: 1;
  readonly topology: string;
  readonly engine: "netem" | "plane";
  readonly infrastructure: "netns" | "docker";
  readonly condition: "idle" | "loaded";
  readonly verdict: "valid" | "invalid";
  readonly reasons: readonly string[];
  readonly ways: readonly Judged[];
  /** Where it was asked for. */
  readonly multicast?: MulticastJudged;
  /** Of the shaping process, 0 to 1 of one processor. */
  readonly processor: number | null;
  readonly late: number | null;
  /** Every bandwidth depends on it. */
  readonly congestionControl: string;
  readonly remark: string;
}

export interface CertificateOptions {
  readonly condition?: "idle" | "loaded";
  readonly tolerance?: Tolerance;
  /** Samples of each pair of machines; 200 take 2.4 s. */
  readonly rounds?: number;
  /** Microseconds between two probes of one pair: 12 ms, so that the order they keep delays them little. */
  readonly interval?: number;
  /** Also measures what one TCP flow carries between each two sites, for so many seconds each. */
  readonly bandwidthSeconds?: number;
  /** Of the sending socket of that flow, in bytes; null leaves it to the kernel. */
  readonly socketBuffers?: number | null;
  /** Also measures what is lost of messages to all, and whether for all at once. */
  readonly multicast?: boolean;
}

/**
 * Each pair in turn: 12 ms lie between two probes of one pair, so that the order they keep delays them
 * little.
 */
const INTERVAL = 12_000;
/** More pairs of machines than this are thinned out to some of each two sites. */
const MOST_PAIRS = 110;
const HANDSHAKES = 4;
/** As many as tell a shared loss of a tenth from one of each by itself. */
const MULTICASTS = 1000;
/** Microseconds between two of them; and so many for each machine, where they are many. */
const MULTICAST_INTERVAL = 2000;
const MULTICAST_INTERVAL_EACH = 50;
/** Not looked at: a way is new to the kernel, and the code of plane and prober is compiled as it runs. */
const FIRST_ROUNDS = 50;

/** What a certificate needs of machines, of the network between them, and of who measures it. */
export type Machines = Pick<Infrastructure, "kind" | "machines" | "enter" | "remark">;
export type Shaped = Pick<Network, "engine" | "asked" | "report">;
export type Asker = Pick<Prober, "ask">;

export async function certify(
  topology: Topology,
  infrastructure: Machines,
  network: Shaped,
  prober: Asker,
  options: CertificateOptions = {},
): Promise<Certificate> {
  const machines = [...infrastructure.machines.values()];
  const pairs = representatives(machines);
  const probed = pairs.map(([from, to]) => pairOf(from, to));
  const rounds = options.rounds ?? 200;
  const condition = options.condition ?? "idle";
  if (condition === "idle")
    await prober.ask({ kind: "one-way", pairs: probed, rounds: FIRST_ROUNDS, interval: INTERVAL });
  const before = await network.report();
  const delays = await prober.ask({
    kind: "one-way",
    pairs: probed,
    rounds,
    interval: options.interval ?? INTERVAL,
  });
  const trips = await prober.ask({ kind: "handshake", pairs: probed, rounds: HANDSHAKES });
  const bandwidth = await bandwidths(pairs, prober, options);
  const samples = collect(topology, infrastructure, network, delays.ways, trips.ways, bandwidth);
  const tolerance = options.tolerance ?? (condition === "idle" ? IDLE : LOADED);
  const ways = samples.map(({ back, ...sample }) => judge(sample, back, tolerance));
  const report = await network.report();
  const reasons = ways.flatMap(({ from, to, faults }) => faults.map((fault) => `${from} to ${to}: ${fault}`));
  const late = lateSince(before, report);
  if (late !== null && late > tolerance.late) {
    reasons.push(`the engine cannot keep up: ${(100 * late).toFixed(1)} % of the packets over 1 ms late`);
  }
  const overflowed = report.ways.filter((way) => way.overflowed > 0 && isUnlimited(network, way));
  for (const way of overflowed)
    reasons.push(`${way.from} to ${way.to}: ${way.overflowed} packets found a queue full`);
  const multicast = options.multicast === true ? await multicasts(topology, machines, network, prober) : null;
  reasons.push(...(multicast?.faults ?? []));
  return {
    version: 1,
    topology: topology.name,
    engine: network.engine,
    infrastructure: infrastructure.kind,
    condition,
    verdict: reasons.length === 0 ? "valid" : "invalid",
    reasons,
    ways,
    ...(multicast !== null && { multicast }),
    processor: report.processor,
    late,
    congestionControl: await congestionControl(infrastructure),
    remark: `${report.remark}; ${infrastructure.remark}`,
  };
}

/** Part of the packets that came in between: those before were another time's. */
export function lateSince(before: NetworkReport, now: NetworkReport): number | null {
  if (before.late === null || now.late === null) return null;
  const delivered = ({ ways }: NetworkReport): number => ways.reduce((sum, way) => sum + way.delivered, 0);
  const count = delivered(now) - delivered(before);
  return count === 0 ? 0 : (now.late * delivered(now) - before.late * delivered(before)) / count;
}

async function congestionControl(infrastructure: Machines): Promise<string> {
  const [machine] = infrastructure.machines.values();
  if (machine === undefined) return "none";
  const cat = [...infrastructure.enter(machine), "cat", "/proc/sys/net/ipv4/tcp_congestion_control"];
  return (await feed(cat, "")).trim();
}

const isUnlimited = (network: Shaped, { from, to }: { from: string; to: string }): boolean =>
  !Number.isFinite(network.asked(from, to).rate);

type MachinePair = readonly [Machine, Machine];

/** All pairs of machines when they are few, else as many of each two sites as fit. */
function representatives(machines: readonly Machine[]): readonly MachinePair[] {
  const bySites = new Map<string, MachinePair[]>();
  for (const pair of directedPairs(machines)) {
    const key = `${pair[0].site} ${pair[1].site}`;
    bySites.set(key, [...(bySites.get(key) ?? []), pair]);
  }
  const all = [...bySites.values()];
  const each = Math.max(1, Math.floor(MOST_PAIRS / all.length));
  const few = machines.length * (machines.length - 1) <= MOST_PAIRS;
  return all.flatMap((pairs) => (few ? pairs : pairs.slice(0, each)));
}

async function bandwidths(
  pairs: readonly MachinePair[],
  prober: Asker,
  options: CertificateOptions,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const seconds = options.bandwidthSeconds ?? 0;
  for (const [from, to] of seconds > 0 ? pairs : []) {
    const key = `${from.site} ${to.site}`;
    if (found.has(key) || from.site === to.site) continue;
    const buffers = options.socketBuffers ?? null;
    const { perSecond } = await prober.ask({ kind: "bandwidth", pair: pairOf(from, to), seconds, buffers });
    found.set(key, Math.max(0, ...perSecond));
  }
  return found;
}

/** One machine of each site sends. */
async function multicasts(
  topology: Topology,
  machines: readonly Machine[],
  network: Shaped,
  prober: Asker,
): Promise<MulticastJudged | null> {
  if (machines.length < 2) return null;
  const bySite = new Map(machines.map((machine) => [machine.site, machine.index]));
  const interval = Math.max(MULTICAST_INTERVAL, MULTICAST_INTERVAL_EACH * machines.length);
  const { senders } = await prober.ask({
    kind: "multicast",
    senders: [...bySite.values()],
    rounds: MULTICASTS,
    interval,
  });
  return judgeMulticast(senders, machines, (from, to) => network.asked(from, to), topology.multicastLoss);
}

interface ThereAndBack extends Sample {
  readonly back: Sample | undefined;
}

/**
 * Adds up what was seen between the machines of each two sites; a pair whose shape was changed stands by
 * itself. The way back of one that was changed may be as planned, and the other way round.
 */
function collect(
  topology: Topology,
  infrastructure: Machines,
  network: Shaped,
  oneWays: readonly OneWay[],
  handshakes: readonly Handshakes[],
  bandwidth: ReadonlyMap<string, number>,
): readonly ThereAndBack[] {
  const machines = [...infrastructure.machines.values()];
  const samples = new Map<string, Sample>();
  const backs = new Map<string, readonly string[]>();
  for (const [index, way] of oneWays.entries()) {
    const [a, b] = [machines[way.from], machines[way.to]];
    if (a === undefined || b === undefined) continue;
    const asked = network.asked(a.name, b.name);
    const isAsPlanned = JSON.stringify(asked) === JSON.stringify(topology.link(a.site, b.site));
    const [from, to] = isAsPlanned ? [a.site, b.site] : [a.name, b.name];
    const before = samples.get(`${from} ${to}`);
    backs.set(`${from} ${to}`, [`${to} ${from}`, `${b.site} ${a.site}`, `${b.name} ${a.name}`]);
    samples.set(`${from} ${to}`, {
      from,
      to,
      asked,
      ordered: topology.ordered,
      sent: (before?.sent ?? 0) + way.sent,
      delays: [...(before?.delays ?? []), ...way.delays],
      reordered: (before?.reordered ?? 0) + way.reordered,
      roundTrips: [...(before?.roundTrips ?? []), ...(handshakes[index]?.roundTrips ?? [])],
      askedRoundTrip: asked.delay + network.asked(b.name, a.name).delay,
      bandwidth: bandwidth.get(`${a.site} ${b.site}`) ?? null,
    });
  }
  return [...samples].map(([key, sample]) => {
    const back = backs.get(key)?.find((other) => samples.has(other)) ?? "";
    return { ...sample, back: samples.get(back) };
  });
}
