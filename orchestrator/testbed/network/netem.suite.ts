/**
 * The tests of the engine `netem`, to be run by a kernel that has it: this one, or User Mode Linux, whose one
 * processor is the reason for the bounds and for the pace: a probe costs it a tenth of a millisecond at each
 * end.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, parseTopology, withLoad, withoutJitter } from "../../topology/topology.ts";
import { conclude } from "../../measure/conclude.ts";
import { planTrial } from "../../plan/flags.ts";
import { runLive } from "../../runner/live/trial.ts";
import { isNetemHere } from "../environment.ts";
import type { Machine } from "../infrastructure/infrastructure.ts";
import { openTestbed, type Testbed } from "../testbed.ts";
import { type Judged, LOADED } from "./fidelity.ts";
import { directedPairs } from "./network.ts";
import { pairOf, Prober } from "./prober.ts";

const SLOW = { ...LOADED, mean: 400, p99: 20_000, sd: 0.5, ks: 0.3, late: 1, grain: 500 };
const TWO = "sites:\n  a: { servers: [p1], load: 1 }\n  b: { servers: [p2], load: 0 }\nlinks:\n";

/** One way, and still far longer than sending takes. */
const SHORT = milliseconds(2);

const open = (yaml: string): Promise<Testbed> =>
  openTestbed({ topology: parseTopology(yaml, "test.yaml"), engine: "netem" });

/**
 * What was seen from p1 to p2, and back: a way that was changed stands by its machines, another by its sites.
 */
async function look(testbed: Testbed, rounds: number): Promise<readonly [there: Judged, back: Judged]> {
  const { ways } = await testbed.certify({ rounds, interval: 20_000, tolerance: SLOW });
  const way = (...names: readonly string[]): Judged =>
    names.flatMap((name) => ways.find(({ from, to }) => `${from} ${to}` === name) ?? [])[0] ??
    assert.fail(`nothing was seen of ${names.join(", ")}`);
  return [way("p1 p2", "a b"), way("p2 p1", "b a")];
}

/**
 * Microseconds there and back; the least, because all others hold moments at which the host ran others, and
 * netem delivers nothing before its time.
 */
async function roundTrip(prober: Prober, a: Machine, b: Machine): Promise<number> {
  const pairs = [pairOf(a, b), pairOf(b, a)];
  const { ways } = await prober.ask({ kind: "one-way", pairs, rounds: 200, interval: PACE });
  return ways.reduce((sum, { delays }) => sum + Math.min(...delays), 0);
}

suite("netem delays packets as the topology says", () => {
  test("a kernel that has netem takes it; all round trips of 3dc are exact to 150 us", async (context) => {
    assert.ok(isNetemHere());
    // With clients at one site only: every machine is a burden to the slow kernel.
    const topology = withLoad(withoutJitter(loadTopology("3dc")), new Map([["fnal", 1]]));
    await using testbed = await openTestbed({ topology });
    const { network } = testbed;
    assert.equal(network.engine, "netem");
    await using prober = new Prober(testbed.infrastructure);
    const machines = ["p1", "p2", "p4"].map((name) => testbed.machine(name));
    const [near, other] = machines as [Machine, Machine, Machine];

    // What sending and receiving take by themselves is this kernel's and not netem's, and is the same for
    // all.
    const asked = [network.asked(near.name, other.name), network.asked(other.name, near.name)] as const;
    await network.shape(near.name, other.name, { delay: SHORT });
    await network.shape(other.name, near.name, { delay: SHORT });
    const own = (await roundTrip(prober, near, other)) - 2 * SHORT;
    await network.shape(near.name, other.name, asked[0]);
    await network.shape(other.name, near.name, asked[1]);
    context.diagnostic(`sending and receiving: ${own.toFixed(0)} us`);
    assert.ok(Math.abs(own) < SHORT, `what is the kernel's own takes ${own} us`);

    for (const [a, b] of [...directedPairs(machines)].filter(([from, to]) => from.index < to.index)) {
      const delay = network.asked(a.name, b.name).delay * 2;
      const seen = (await roundTrip(prober, a, b)) - own;
      context.diagnostic(`${a.site} ${b.site}: asked ${delay} us, least ${seen.toFixed(0)}`);
      assert.ok(Math.abs(seen - delay) <= 150, `${a.site} to ${b.site}: ${seen} us instead of ${delay}`);
    }
  });

  test("packets overtake where that is asked for", async () => {
    const jitter = "jitter: { distribution: normal, sd: 30ms }";
    await using testbed = await open(`order: free\n${TWO}  - { between: [a, b], rtt: 80ms, ${jitter} }\n`);
    const [there] = await look(testbed, 100);
    assert.ok(there.reordered > 5, `${there.reordered} came before an earlier one`);
  });
});

test("netem changes while it runs, one direction at a time, and what is not named stays", async (context) => {
  await using testbed = await open(
    `${TWO}  - { from: a, to: b, delay: 5ms }\n  - { from: b, to: a, delay: 20ms }\n`,
  );
  const { network } = testbed;

  await context.test("at first each direction has its own delay", async () => {
    const [there, back] = await look(testbed, 30);
    assert.ok(Math.abs(there.achieved.p50 - 5000) < 2000, `${there.achieved.p50} us of 5,000`);
    assert.ok(Math.abs(back.achieved.p50 - 20_000) < 2000, `${back.achieved.p50} us of 20,000`);
  });

  await context.test("jitter has the asked shape, and keeps order", async (step) => {
    const jitter = { distribution: "pareto", scale: milliseconds(6), halfLife: milliseconds(0) } as const;
    await network.shape("p1", "p2", { delay: milliseconds(20), jitter });
    const [judged] = await look(testbed, 300);
    step.diagnostic(`KS ${judged.ks?.toFixed(3)}, sd ${judged.achieved.sd.toFixed(0)} us`);
    assert.ok(judged.achieved.p99 - judged.achieved.p50 > 10_000);
    assert.equal(judged.reordered, 0);
  });

  await context.test("loss and a rate come, the delay stays, and both go again", async () => {
    await network.shape("p1", "p2", { jitter: null, loss: 0.3, rate: 10e6 });
    const [lossy] = await look(testbed, 100);
    assert.ok(Math.abs(lossy.achieved.p50 - 20_000) < 2000);
    assert.ok(lossy.loss.achieved > 0.1 && lossy.loss.achieved < 0.5, `${lossy.loss.achieved}`);
    await network.shape("p1", "p2", { loss: 0, rate: Number.POSITIVE_INFINITY });
    const [whole] = await look(testbed, 30);
    assert.equal(whole.loss.achieved, 0);
  });

  for (const inFlight of ["deliver", "drop"] as const) {
    await context.test(`a cut (${inFlight} what is under way) holds until it is healed`, async () => {
      await network.cut("p1", "p2", inFlight);
      const [cut, kept] = await look(testbed, 20);
      assert.equal(cut.loss.achieved, 1);
      assert.equal(kept.loss.achieved, 0);
      await network.heal("p1", "p2");
      const [healed] = await look(testbed, 20);
      assert.equal(healed.loss.achieved, 0);
    });
  }
});

/**
 * Microseconds between two probes of a pair: each costs this kernel a tenth of a millisecond at both ends.
 */
const PACE = 12_000;

/** As few machines as make a leader's death survivable: every one is a burden to the slow kernel. */
const THREE = `sites:
  a: { servers: [p1], load: 1 }
  b: { servers: [p2], load: 0 }
  c: { servers: [p3], load: 0 }
links:
  - { between: [a, b], rtt: 10ms }
  - { between: [a, c], rtt: 50ms }
  - { between: [b, c], rtt: 80ms }
`;

test("an ensemble serves its clients over netem, also when its leader dies", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const topology = join(folder, "three.yaml");
  writeFileSync(topology, THREE);
  // A kernel that is not heard for a third of a second is slow here, and not dead.
  const times = { duration: "10s", warmUp: "1s", settle: "2s", killAt: "4s", heartbeat: "500ms" };
  const flags = { topology, rate: "10/s", ...times };
  const recording = await runLive(planTrial(flags, "netns"), {
    command: "netem.suite",
    signal: new AbortController().signal,
    progress: (phase) => context.diagnostic(`${phase} at ${performance.now().toFixed(0)} ms`),
  });
  assert.match(recording.environment.engine, /^netem/);
  const { measures, verdict } = conclude(recording);
  for (const { property, judgement, operations, reasons } of verdict.findings) {
    context.diagnostic(`${property}: ${judgement}, ${operations} looked at ${reasons.join("; ")}`);
    if (/lost|order|equal/.test(property)) assert.equal(judgement, "valid", reasons.join("; "));
  }
  const { before, after } = measures.leaders;
  assert.ok(before !== null && after !== null && after !== before, `led by ${before}, then by ${after}`);
});
