// lane: quiet, 90 s: what a flow carries in a second is less beside others
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { milliseconds } from "#node/core/time.ts";
import { parseTopology } from "../../topology/topology.ts";
import { labelledProcesses } from "../reaper.ts";
import { openTestbed, type Testbed, type TestbedOptions } from "../testbed.ts";
import { directedPairs } from "./network.ts";
import { type Judged, LOADED } from "./fidelity.ts";
import { pairOf, Prober } from "./prober.ts";

// Whoever runs these tests may run others beside them: the bounds are for a busy machine.
const BUSY = { ...LOADED, mean: 1000, p99: 20_000, sd: 0.5, ks: 0.3, late: 0.2, grain: 500 };

const open = (yaml: string, options: Partial<TestbedOptions> = {}): Promise<Testbed> =>
  openTestbed({ topology: parseTopology(yaml, "test.yaml"), engine: "plane", ...options });

const way = (ways: readonly Judged[], from: string, to: string): Judged => {
  const found = ways.find((candidate) => candidate.from === from && candidate.to === to);
  assert.ok(found !== undefined, `${from} to ${to} was measured`);
  return found;
};

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}

const sent = async (testbed: Testbed, from: string, to: string): Promise<number> => {
  const { ways } = await testbed.network.report();
  return ways.find((report) => report.from === from && report.to === to)?.packets ?? 0;
};

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

/** Microseconds by which a delay may look too short: clocks are read by several programs. */
const EARLY = 1000;

const TWO = "sites:\n  a: { servers: [p1], load: 1 }\n  b: { servers: [p2], load: 0 }\nlinks:\n";

suite("a plane carries packets as its topology says", () => {
  test("each direction has its own delay", async () => {
    await using testbed = await open(
      `${TWO}  - { from: a, to: b, delay: 5ms }\n  - { from: b, to: a, delay: 20ms }\n`,
    );
    const { ways, verdict, reasons } = await testbed.certify({ rounds: 100, tolerance: BUSY });
    assert.equal(verdict, "valid", reasons.join("; "));
    assert.ok(Math.abs(way(ways, "a", "b").achieved.p50 - 5000) < 1000);
    assert.ok(Math.abs(way(ways, "b", "a").achieved.p50 - 20_000) < 1000);
    assert.ok(Math.abs(way(ways, "a", "a").achieved.p50 - 50) < 500);
    assert.ok((way(ways, "a", "b").roundTrip.tcp ?? 0) > 24_000);
  });

  test("as an ordinary user too, in a user namespace", async () => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 20ms }\n`, { rootless: true });
    const { ways } = await testbed.certify({ rounds: 100, tolerance: BUSY });
    // Who is nobody special cannot go before others, so this plane is as late as the machine is busy.
    const { p50 } = way(ways, "a", "b").achieved;
    assert.ok(p50 > 9_500 && p50 < 40_000, `${p50} us of 10,000`);
  });

  test("jitter spreads delays as asked, and no packet overtakes another", async () => {
    const jitter = "jitter: { distribution: pareto, scale: 30% }";
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 20ms, ${jitter} }\n`);
    const { ways } = await testbed.certify({ rounds: 400, tolerance: BUSY });
    const judged = way(ways, "a", "b");
    assert.ok(judged.ks !== null && judged.ks < 0.2, `KS ${judged.ks}`);
    assert.ok(judged.achieved.sd > 1200, `sd ${judged.achieved.sd}`);
    assert.equal(judged.reordered, 0);
  });

  test("order is free when the topology says so, and what overtakes is counted", async () => {
    const jitter = "jitter: { distribution: normal, sd: 30ms }";
    await using testbed = await open(`order: free\n${TWO}  - { between: [a, b], rtt: 80ms, ${jitter} }\n`);
    const { ways } = await testbed.certify({ rounds: 200, tolerance: BUSY });
    assert.ok(way(ways, "a", "b").reordered > 10);
  });

  test("asked loss loses about so much", async () => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 2ms, loss: 10% }\n`);
    const { ways } = await testbed.certify({ rounds: 300, tolerance: BUSY });
    const { loss, roundTrip } = way(ways, "a", "b");
    assert.ok(loss.achieved > 0.05 && loss.achieved < 0.15, `${loss.achieved}`);
    // Whose first packet was lost took a second more, and says nothing of the way.
    assert.ok((roundTrip.tcp ?? 0) < 50_000, `${roundTrip.tcp} us`);
  });

  for (const [multicastLoss, both] of [
    ["independent", 0.04],
    ["shared", 0.2],
    ["10%", 0.11],
  ] as const) {
    test(`what is lost of a multicast is lost for each or for all: ${multicastLoss}`, async () => {
      await using testbed = await open(
        `multicastLoss: ${multicastLoss}\n${TWO}  - { between: [a, b], rtt: 2ms, loss: 20% }\n`,
      );
      for (const [from, to] of directedPairs(testbed.machines.values()))
        await testbed.network.shape(from.name, to.name, { loss: 0.2 });
      const { multicast } = await testbed.certify({ rounds: 20, tolerance: BUSY, multicast: true });
      assert.ok(multicast?.together, "three machines: two receivers");
      const { messages, lost, together, faults } = multicast;
      assert.deepEqual([messages, faults], [1000, []]);
      assert.ok(Math.abs(lost.asked - 0.2) < 1e-9 && Math.abs(together.asked - both) < 0.003);
    });
  }

  test("a rate limits what one flow carries", async () => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 4ms, rate: 50mbit }\n`);
    const { ways } = await testbed.certify({ rounds: 20, bandwidthSeconds: 2, tolerance: BUSY });
    const { bandwidth } = way(ways, "a", "b");
    // Counted where it arrives, what stood still for a moment comes faster afterwards.
    assert.ok(bandwidth !== null && bandwidth > 30e6 && bandwidth < 60e6, `${bandwidth}`);
  });
});

test("a plane that cannot keep up says so, and its certificate is invalid", async () => {
  await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 20ms }\n`);
  const plane = labelledProcesses().find(
    ({ label, pid }) => label === testbed.label && commandOf(pid).includes("plane/main.ts"),
  );
  assert.ok(plane !== undefined);
  let isOver = false;
  const certified = testbed
    .certify({ rounds: 100, tolerance: { ...BUSY, late: 0.01 } })
    .finally(() => (isOver = true));
  // It stands still most of the time, as on a machine with much else to do.
  while (!isOver) {
    process.kill(plane.pid, "SIGSTOP");
    await delay(200);
    process.kill(plane.pid, "SIGCONT");
    await delay(50);
  }
  const { verdict, reasons, late } = await certified;
  assert.equal(verdict, "invalid");
  assert.ok(late !== null && late > 0.01, `${late}`);
  assert.ok(reasons.some((reason) => /^the engine cannot keep up: \d+\.\d % of the packets/.test(reason)));
});

suite("the plane changes while it runs", () => {
  test("jitter, loss and a rate come, and go again", async () => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 20ms }\n`);
    const { network } = testbed;
    const seen = async (from: string, to: string): Promise<Judged> => {
      const { ways } = await testbed.certify({ rounds: 100, tolerance: BUSY });
      return way(ways, from, to);
    };
    const jitter = { distribution: "normal", scale: milliseconds(2), halfLife: milliseconds(0) } as const;
    await network.shape("p1", "p2", { jitter, loss: 0.2 });
    const spread = await seen("p1", "p2");
    assert.ok(spread.ks !== null && spread.ks < 0.3, `KS ${spread.ks}`);
    assert.ok(spread.achieved.sd > 1000, `sd ${spread.achieved.sd}`);
    assert.ok(spread.loss.achieved > 0.05 && spread.loss.achieved < 0.4, `${spread.loss.achieved}`);
    // A probe of some 130 bytes takes 10 ms to leave.
    await network.shape("p1", "p2", { jitter: null, loss: 0, rate: 100e3 });
    const slow = await seen("p1", "p2");
    assert.ok(slow.achieved.p50 > 18_000, `${slow.achieved.p50}`);
    assert.equal(slow.loss.achieved, 0);
    await network.shape("p1", "p2", { rate: Number.POSITIVE_INFINITY });
    assert.ok(Math.abs((await seen("a", "b")).achieved.p50 - 10_000) < 2000);
  });

  test("a new delay holds for what is sent from then on", async () => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 2ms }\n`);
    await testbed.network.shape("p1", "p2", { delay: milliseconds(40) });
    const { ways } = await testbed.certify({ rounds: 50, tolerance: BUSY });
    assert.ok(Math.abs(way(ways, "p1", "p2").achieved.p50 - 40_000) < 2000);
    assert.ok(Math.abs(way(ways, "b", "a").achieved.p50 - 1000) < 1000);
  });

  test("what left before a change keeps its delay, later ones have the new one, all come", async (t) => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 400ms }\n`);
    await using prober = new Prober(testbed.infrastructure);
    const pair = pairOf(testbed.machine("p1"), testbed.machine("p2"));
    const [rounds, interval, longer] = [100, 10_000, milliseconds(600)];
    const atFirst = await sent(testbed, "p1", "p2");
    const left = async (): Promise<number> => (await sent(testbed, "p1", "p2")) - atFirst;
    const asked = prober.ask({ kind: "one-way", pairs: [pair], rounds, interval });
    await Promise.race([asked, until(async () => (await left()) > 30)]);
    const before = await left();
    await testbed.network.shape("p1", "p2", { delay: longer });
    const after = await left();
    const [seen] = (await asked).ways;
    assert.ok(seen !== undefined && after < rounds);
    assert.deepEqual([seen.delays.length, seen.reordered], [rounds, 0], "all come, in order");
    const step = seen.delays.findIndex((delay) => delay > longer - EARLY);
    const told = `${step - before} left after it was asked for, and before it was done ${after - before}`;
    t.diagnostic(`probes ${interval / 1e3} ms apart: the change holds from number ${step}; ${told}`);
    assert.ok(step >= before && step <= after, told);
    assert.ok(seen.delays.slice(step).every((delay) => delay > longer - EARLY));
  });

  test("a cut stops one direction until it is healed", async () => {
    await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 2ms }\n`);
    await testbed.network.cut("p1", "p2");
    const cut = await testbed.certify({ rounds: 20, tolerance: BUSY });
    // Half of what goes from a to b comes from p1, the other half from the clients.
    assert.equal(way(cut.ways, "a", "b").loss.achieved, 0.5);
    assert.equal(way(cut.ways, "b", "a").loss.achieved, 0);
    assert.equal(cut.verdict, "invalid");
    await testbed.network.heal("p1", "p2");
    const healed = await testbed.certify({ rounds: 20, tolerance: BUSY });
    assert.equal(way(healed.ways, "a", "b").loss.achieved, 0);
  });

  for (const inFlight of ["deliver", "drop"] as const) {
    test(`a cut can ${inFlight} what is under way`, async () => {
      await using testbed = await open(`${TWO}  - { between: [a, b], rtt: 1s }\n`);
      await using prober = new Prober(testbed.infrastructure);
      const pair = pairOf(testbed.machine("p1"), testbed.machine("p2"));
      const before = await sent(testbed, "p1", "p2");
      const delays = prober.ask({ kind: "one-way", pairs: [pair], rounds: 1, interval: 1 });
      await Promise.race([delays, until(async () => (await sent(testbed, "p1", "p2")) > before)]);
      await testbed.network.cut("p1", "p2", inFlight);
      const [seen] = (await delays).ways;
      assert.equal(seen?.delays.length, inFlight === "deliver" ? 1 : 0);
    });
  }
});
