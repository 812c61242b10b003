/** How near delays come to what was asked: means, tails, the shape of jitter, and how soon a change holds. */

import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { assert } from "#node/core/assert.ts";
import { milliseconds } from "#node/core/time.ts";
import { deviation, mean as average, quantileOf } from "../../statistics/summary.ts";
import { loadTopology } from "../../topology/topology.ts";
import { unlessInterrupted } from "../../terminal/interrupted.ts";
import { feed } from "../../testbed/command-feed.ts";
import type { Machine } from "../../testbed/infrastructure/infrastructure.ts";
import { createNetns } from "../../testbed/infrastructure/netns.ts";
import { newLabel } from "../../testbed/label.ts";
import type { Judged } from "../../testbed/network/fidelity.ts";
import { ALONE } from "../../testbed/network/libc.ts";
import { machinesOf } from "../../testbed/network/network.ts";
import { pairOf, Prober } from "../../testbed/network/prober.ts";
import type { TestbedOptions } from "../../testbed/testbed.ts";
import type { Bound, Note } from "./line.ts";
import { open, star } from "./star.ts";
import { execaSync } from "execa";
import { child } from "../../testbed/child.ts";

const ROUND_TRIPS = [0.2, 9.88, 20.75, 53.26, 77.06, 172.47];
const PROCESSORS = 2;
/**
 * A busy machine stalls whoever waits in three or four of a thousand round trips, several at a time. Of 400
 * the p99 is the fifth greatest, and one cluster of stalls decides it: 29 to 823 us on the worst of six
 * links, from one 400 to the next.
 */
const ROUNDS = 2400;
/** What the tails as root are asked to stay below, in microseconds. */
const TAIL = 200;

export async function exactness(
  note: Note,
  how: string,
  mean: Bound,
  p99: Bound,
  options: Partial<TestbedOptions>,
  busy: boolean,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  // Before the testbed opens: its calibration takes off what this machine adds as it is.
  for (const burner of busy ? Array.from({ length: PROCESSORS }, burn) : [])
    stack.defer(() => void burner.kill("SIGKILL"));
  const testbed = stack.use(await open(star(ROUND_TRIPS), options));
  const prober = stack.use(new Prober(testbed.infrastructure));
  const middle = testbed.machine("p1");
  const pairs = ROUND_TRIPS.map((_, index) => testbed.machine(`p${index + 2}`)).flatMap((other) => [
    pairOf(middle, other),
    pairOf(other, middle),
  ]);
  // A new prober's own code is slow at first, and would be measured too.
  await prober.ask({ kind: "one-way", pairs, rounds: 300, interval: 2000 });
  const { ways } = await prober.ask({ kind: "one-way", pairs, rounds: ROUNDS, interval: 12_000 });
  const errors = ROUND_TRIPS.map((rtt, index) => {
    const [there, back] = [ways[2 * index]?.delays ?? [], ways[2 * index + 1]?.delays ?? []];
    return there.map((delay, round) => delay + (back[round] ?? Number.NaN) - rtt * 1000);
  });
  const worst = (values: readonly number[]): number =>
    values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  note(`mean RTT error, ${how}`, "us", mean, worst(errors.map(average)));
  note(`p99 of the RTT error, ${how}`, "us", p99, worst(errors.map((values) => quantileOf(values, 0.99))));
  const all = errors.flat();
  note(
    `round trips over ${TAIL} us late, ${how}`,
    "%",
    null,
    (100 * all.filter((late) => late > TAIL).length) / all.length,
  );
}

/** Two machines and nothing but a cable between them: what of all this is the prober's own. */
export async function proberAlone(note: Note): Promise<void> {
  const [here, there] = machinesOf(star([1]));
  assert(here !== undefined && there !== undefined, "a star has two machines");
  const settings = { label: newLabel(), congestionControl: null, socketBuffers: null };
  await using infrastructure = await createNetns({ ...settings, machines: [here, there] });
  const ip = (machine: Machine, ...lines: readonly string[]): Promise<string> =>
    feed([...infrastructure.enter(machine), "ip", "-batch", "-"], `${lines.join("\n")}\n`);
  await ip(here, `link add cable type veth peer name cable netns ${infrastructure.namespace(there)}`);
  for (const machine of [here, there])
    await ip(machine, `address add ${machine.address}/16 dev cable`, "link set dev cable up");
  await using prober = new Prober(infrastructure);
  const pairs = [pairOf(here, there), pairOf(there, here)];
  await prober.ask({ kind: "one-way", pairs, rounds: 300, interval: 2000 });
  const { ways } = await prober.ask({ kind: "one-way", pairs, rounds: 1000, interval: 2000 });
  const [forth = [], back = []] = ways.map(({ delays }) => delays);
  const trips = forth.map((delay, round) => delay + (back[round] ?? Number.NaN));
  note("the prober's own part of a round trip, mean", "us", null, average(trips));
  note("the same, p99", "us", null, quantileOf(trips, 0.99));
}

const burn = (): ChildProcess =>
  child([process.execPath, "--eval", "for (;;);"], { stdout: "ignore", stderr: "ignore" });

/**
 * The sd of a Pareto's sample wanders far: by 4 % over the 1600 samples of 400 rounds, so that the worst of
 * 20 ways would be 10 % off with the most exact of networks. Over 12,800 it is 1.4 %.
 */
const JITTER_ROUNDS = 3200;

export async function jitter(note: Note, signal: AbortSignal): Promise<void> {
  await using testbed = await open(loadTopology("endpoints"));
  const { ways } = await unlessInterrupted(signal, () => testbed.certify({ rounds: JITTER_ROUNDS }));
  const far = ways.filter(({ asked }) => asked.sd > 0);
  const worst = (sdOf: (way: Judged) => number): number =>
    100 * Math.max(...far.map((way) => Math.abs(sdOf(way) / way.asked.sd - 1)));
  note(
    "sd over asked sd, worst way",
    "%",
    { most: 5 },
    worst(({ onTime }) => onTime.sd),
  );
  note(
    "the same with what stalls held up",
    "%",
    null,
    worst(({ achieved }) => achieved.sd),
  );
  const stalled = far.reduce((sum, { onTime }) => sum + onTime.stalled, 0);
  const packets = far.reduce((sum, { samples }) => sum + samples, 0);
  note("packets that a stall held up for over 0.5 ms", "%", null, (100 * stalled) / packets);
  note("KS distance, worst way", "", { most: 0.05 }, Math.max(...far.map(({ ks }) => ks ?? 0)));
  timerAlone(note, Math.min(...far.map(({ asked }) => asked.sd)));
  note(
    "packets overtaken",
    "",
    { most: 0 },
    ways.reduce((sum, { reordered }) => sum + reordered, 0),
  );
}

/** One way a packet is waited for twice: until it comes, and until it is due. */
const WAKE_UPS = 2;

/**
 * What this machine's timers make of the least of the asked jitters, by their lateness alone: how much of the
 * lines above is the host's.
 */
function timerAlone(note: Note, leastAsked: number): void {
  const program = [...ALONE, fileURLToPath(new URL("bare-timer.ts", import.meta.url))];
  const { stdout: printed } = execaSync(process.execPath, program);
  const late = JSON.parse(printed) as number[];
  const own = Math.sqrt(WAKE_UPS) * deviation(late);
  note("a bare timer's lateness, sd", "us", null, deviation(late));
  note("the same, p99.9", "us", null, quantileOf(late, 0.999));
  note("what that alone adds to the least sd", "%", null, 100 * (Math.hypot(1, own / leastAsked) - 1));
}

export async function changes(note: Note): Promise<void> {
  await using testbed = await open(loadTopology("3dc"));
  const taken: number[] = [];
  for (let change = 0; change < 50; change++) {
    const start = performance.now();
    await testbed.network.shape("p1", "p2", { delay: milliseconds(10 + change) });
    taken.push(performance.now() - start);
  }
  note("a change of a delay is done after, at most", "ms", { most: 10 }, Math.max(...taken));
}
