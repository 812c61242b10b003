/**
 * How exact and how fast the packet plane is on this machine: what was promised beside what is measured, as a
 * table and as JSON. What others compute meanwhile counts against the plane, so the machine's load stands
 * above the table.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, parseTopology, type Topology } from "../topology.ts";
import { Plane } from "./network/plane.ts";
import { pairOf, Prober } from "./network/prober.ts";
import { openTestbed, type Testbed, type TestbedOptions } from "./testbed.ts";

export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly asked: { readonly most: number } | { readonly least: number } | null;
  readonly measured: number;
}

const ROUND_TRIPS = [0.2, 9.88, 20.75, 53.26, 77.06, 172.47];
const PAPER_ROUND_TRIPS = ROUND_TRIPS.slice(1, 5);
const PROCESSORS = 2;

/** Runs every measurement in turn; `tell` gets each line as soon as it is known. */
export async function benchPlane(tell: (line: Line) => void): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const note = (what: string, unit: string, asked: Line["asked"], measured: number): void => {
    const line = { what, unit, asked, measured };
    lines.push(line);
    tell(line);
  };
  const stolenBefore = stolen();
  note("load of this machine before", "processes", null, loadavg()[0] ?? 0);
  for (const busy of [false, true]) {
    const state = busy ? "both processors busy" : "idle";
    await exactness(note, `root, ${state}`, { most: 50 }, { most: 200 }, {}, busy);
    await exactness(note, `precise, ${state}`, { most: 15 }, null, { precise: true }, busy);
    if (!busy)
      await exactness(note, "rootless, idle", { most: 100 }, { most: 500 }, { rootless: true }, busy);
  }
  await jitter(note);
  await changes(note);
  await capacity(note);
  await bandwidths(note);
  await starts(note);
  note("load of this machine after", "processes", null, loadavg()[0] ?? 0);
  note("processor time that the host took away meanwhile", "s", null, stolen() - stolenBefore);
  return lines;
}

/**
 * On a virtual machine: seconds in which the host ran somebody else. Every one of them is a stall of all of
 * us.
 */
function stolen(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return Number(line.split(/\s+/)[8]) / 100;
}

type Note = (what: string, unit: string, asked: Line["asked"], measured: number) => void;

/** One site in the middle, and one at each of these round-trip times from it. */
function star(roundTrips: readonly number[]): Topology {
  const sites = roundTrips.map((_, index) => `  s${index}: { servers: [p${index + 2}], load: 0 }`);
  const links = roundTrips.map((rtt, index) => `  - { between: [c, s${index}], rtt: ${rtt}ms }`);
  const others = roundTrips.flatMap((_, a) =>
    roundTrips.slice(a + 1).map((__, b) => `  - { between: [s${a}, s${a + 1 + b}], rtt: 10ms }`),
  );
  const middle = "  c: { servers: [p1], load: 1 }";
  return parseTopology(
    ["sites:", middle, ...sites, "links:", ...links, ...others, ""].join("\n"),
    "star.yaml",
  );
}

const open = (topology: Topology, options: Partial<TestbedOptions> = {}): Promise<Testbed> =>
  openTestbed({ topology, engine: "plane", ...options });

async function exactness(
  note: Note,
  how: string,
  mean: Line["asked"],
  p99: Line["asked"],
  options: Partial<TestbedOptions>,
  busy: boolean,
): Promise<void> {
  await using testbed = await open(star(ROUND_TRIPS), options);
  await using prober = new Prober(testbed.infrastructure);
  const burners = busy ? Array.from({ length: PROCESSORS }, burn) : [];
  const middle = testbed.machine("p1");
  const pairs = ROUND_TRIPS.map((_, index) => testbed.machine(`p${index + 2}`)).flatMap((other) => [
    pairOf(middle, other),
    pairOf(other, middle),
  ]);
  // A new prober's own code is slow at first, and would be measured too.
  await prober.ask({ kind: "one-way", pairs, rounds: 300, interval: 2000 });
  const { ways } = await prober.ask({ kind: "one-way", pairs, rounds: 400, interval: 12_000 });
  for (const burner of burners) burner.kill("SIGKILL");
  const errors = ROUND_TRIPS.map((rtt, index) => {
    const [there, back] = [ways[2 * index]?.delays ?? [], ways[2 * index + 1]?.delays ?? []];
    return there.map((delay, round) => delay + (back[round] ?? Number.NaN) - rtt * 1000);
  });
  const worst = (values: readonly number[]): number =>
    values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  note(`mean RTT error, ${how}`, "us", mean, worst(errors.map(average)));
  note(`p99 of the RTT error, ${how}`, "us", p99, worst(errors.map((values) => quantile(values, 0.99))));
}

const burn = (): ChildProcess => spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" });
const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(part * values.length)] ?? Number.NaN;

async function jitter(note: Note): Promise<void> {
  await using testbed = await open(loadTopology("endpoints"));
  const { ways } = await testbed.certify({ rounds: 400 });
  const far = ways.filter(({ asked }) => asked.sd > 0);
  note("sd over asked sd, worst way", "%", { most: 5 }, 100 * Math.max(...far.map(spreadError)));
  note("KS distance, worst way", "", { most: 0.05 }, Math.max(...far.map(({ ks }) => ks ?? 0)));
  note(
    "packets overtaken",
    "",
    { most: 0 },
    ways.reduce((sum, { reordered }) => sum + reordered, 0),
  );
}

const spreadError = ({ asked, achieved }: { asked: { sd: number }; achieved: { sd: number } }): number =>
  Math.abs(achieved.sd / asked.sd - 1);

async function changes(note: Note): Promise<void> {
  await using testbed = await open(loadTopology("3dc"));
  const taken: number[] = [];
  for (let change = 0; change < 50; change++) {
    const start = performance.now();
    await testbed.network.shape("p1", "p2", { delay: milliseconds(10 + change) });
    taken.push(performance.now() - start);
  }
  note("a change of a delay is done after, at most", "ms", { most: 10 }, Math.max(...taken));
}

/** Two machines at this round-trip time, and what one TCP flow between them does. */
async function flow(rtt: number, options: Partial<TestbedOptions>, seconds: number): Promise<Flow> {
  await using testbed = await open(star([rtt]), { congestionControl: "cubic", ...options });
  await using prober = new Prober(testbed.infrastructure);
  const plane = testbed.network;
  if (!(plane instanceof Plane)) throw new Error("the bench measures the plane");
  const before = await plane.detail();
  const pair = pairOf(testbed.machine("p1"), testbed.machine("p2"));
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

async function capacity(note: Note): Promise<void> {
  const small = await flow(0.2, { offloads: false, socketBuffers: LARGE_BUFFERS }, 4);
  note("one TCP flow, MTU 1500, no offloads", "Gbit/s", { least: 1.4 }, small.bitsPerSecond / 1e9);
  note("its packets, both directions", "1000/s", { least: 200 }, small.packetsPerSecond / 1e3);
  note("processor time per packet under load", "us", { most: 6 }, small.microsecondsPerPacket);
  const large = await flow(20.75, { socketBuffers: 256 << 20 }, 6);
  note("one TCP flow with offloads, RTT 20.75 ms", "Gbit/s", { least: 15 }, large.bitsPerSecond / 1e9);
}

async function bandwidths(note: Note): Promise<void> {
  for (const rtt of PAPER_ROUND_TRIPS) {
    const wide = await flow(rtt, { socketBuffers: LARGE_BUFFERS }, 5);
    note(`one TCP flow, RTT ${rtt} ms, 64 MiB buffers`, "Mbit/s", { least: 940 }, wide.bitsPerSecond / 1e6);
    const plain = await flow(rtt, {}, 4);
    note(`one TCP flow, RTT ${rtt} ms, this kernel's buffers`, "Mbit/s", null, plain.bitsPerSecond / 1e6);
  }
}

async function starts(note: Note): Promise<void> {
  const start = performance.now();
  const testbed = await open(loadTopology("3dc"));
  await testbed.certify();
  const up = performance.now();
  note("start of 3dc with certificate", "s", { most: 6 }, (up - start) / 1000);
  await testbed[Symbol.asyncDispose]();
  note("tear-down of 3dc", "s", { most: 1.5 }, (performance.now() - up) / 1000);
  const again = performance.now();
  await using crowd = await open(fifty());
  note("start of 50 machines on 10 sites", "s", { most: 30 }, (performance.now() - again) / 1000);
  await crowd.certify({ rounds: 50 });
}

function fifty(): Topology {
  const name = (site: number): string => `s${site}`;
  const sites = Array.from({ length: 10 }, (_, site) => {
    const servers = Array.from({ length: 5 }, (__, server) => `p${site * 5 + server + 1}`);
    return `  ${name(site)}: { servers: [${servers.join(", ")}], load: 0 }`;
  });
  const links = sites.flatMap((_, a) =>
    sites
      .slice(a + 1)
      .map((__, b) => `  - { between: [${name(a)}, ${name(a + 1 + b)}], rtt: ${10 + a + b}ms }`),
  );
  // Somebody must have the load; it gives one machine more.
  const text = ["sites:", ...sites, "links:", ...links, ""].join("\n").replace("load: 0", "load: 1");
  return parseTopology(text, "fifty.yaml");
}

export function isMet({ asked, measured }: Line): boolean {
  if (asked === null) return true;
  return "most" in asked ? Math.abs(measured) <= asked.most : measured >= asked.least;
}

export function printLine(line: Line): string {
  const { what, unit, asked, measured } = line;
  const bound = asked === null ? "" : "most" in asked ? `<= ${asked.most}` : `>= ${asked.least}`;
  const shown = Number(measured.toPrecision(4));
  const mark = isMet(line) ? " " : "!";
  return `${mark} ${what.padEnd(52)} ${bound.padStart(9)} ${String(shown).padStart(9)} ${unit}`;
}
