/**
 * The tests of the engine `netem`, to be run by a kernel that has it: this one, or User Mode Linux, whose one
 * processor is the reason for the bounds and for the pace: a probe costs it a tenth of a millisecond at each
 * end.
 */

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, parseTopology } from "../../topology.ts";
import { openTestbed, type Testbed } from "../testbed.ts";
import { type Judged, LOADED } from "./fidelity.ts";

const SLOW = { ...LOADED, mean: 400, p99: 20_000, sd: 0.5, ks: 0.3, late: 1, grain: 500 };
const TWO = "sites:\n  a: { servers: [p1], load: 1 }\n  b: { servers: [p2], load: 0 }\nlinks:\n";

const open = (yaml: string): Promise<Testbed> =>
  openTestbed({ topology: parseTopology(yaml, "test.yaml"), engine: "netem" });

/** What was seen from one machine, or site, to another. */
async function seen(testbed: Testbed, rounds: number, from: string, to: string): Promise<Judged> {
  const { ways } = await testbed.certify({ rounds, interval: 20_000, tolerance: SLOW });
  return ways.find((way) => way.from === from && way.to === to) ?? assert.fail(`${from} ${to}`);
}

suite("netem delays packets as the topology says", () => {
  test("all round trips of 3dc", async (context) => {
    await using testbed = await openTestbed({ topology: loadTopology("3dc"), engine: "netem" });
    const { ways } = await testbed.certify({ rounds: 40, interval: 60_000 });
    const errors = ways.map(({ roundTrip }) => (roundTrip.udp - roundTrip.asked).toFixed(0));
    context.diagnostic(`mean round-trip errors in us: ${errors.join(" ")}`);
    for (const { from, to, asked, achieved, loss, reordered } of ways) {
      assert.ok(Math.abs(achieved.p50 - asked.p50) < 2000, `${from} ${to}: ${achieved.p50} for ${asked.p50}`);
      assert.equal(loss.achieved + reordered, 0);
    }
  });

  test("packets overtake where that is asked for", async () => {
    const jitter = "jitter: { distribution: normal, sd: 30ms }";
    await using testbed = await open(`order: free\n${TWO}  - { between: [a, b], rtt: 80ms, ${jitter} }\n`);
    assert.ok((await seen(testbed, 100, "a", "b")).reordered > 5);
  });
});

test("netem changes while it runs, one direction at a time, and what is not named stays", async (context) => {
  await using testbed = await open(
    `${TWO}  - { from: a, to: b, delay: 5ms }\n  - { from: b, to: a, delay: 20ms }\n`,
  );
  const { network } = testbed;

  await context.test("at first each direction has its own delay", async () => {
    assert.ok(Math.abs((await seen(testbed, 30, "a", "b")).achieved.p50 - 5000) < 2000);
    assert.ok(Math.abs((await seen(testbed, 30, "b", "a")).achieved.p50 - 20_000) < 2000);
  });

  await context.test("jitter has the asked shape, and keeps order", async (step) => {
    const jitter = { distribution: "pareto", scale: milliseconds(6), halfLife: milliseconds(0) } as const;
    await network.shape("p1", "p2", { delay: milliseconds(20), jitter });
    const judged = await seen(testbed, 300, "p1", "p2");
    step.diagnostic(`KS ${judged.ks?.toFixed(3)}, sd ${judged.achieved.sd.toFixed(0)} us`);
    assert.ok(judged.achieved.p99 - judged.achieved.p50 > 10_000);
    assert.equal(judged.reordered, 0);
  });

  await context.test("loss and a rate come, the delay stays, and both go again", async () => {
    await network.shape("p1", "p2", { jitter: null, loss: 0.3, rate: 10e6 });
    const lossy = await seen(testbed, 100, "p1", "p2");
    assert.ok(Math.abs(lossy.achieved.p50 - 20_000) < 2000);
    assert.ok(lossy.loss.achieved > 0.1 && lossy.loss.achieved < 0.5, `${lossy.loss.achieved}`);
    await network.shape("p1", "p2", { loss: 0, rate: Number.POSITIVE_INFINITY });
    assert.equal((await seen(testbed, 30, "p1", "p2")).loss.achieved, 0);
  });

  for (const inFlight of ["deliver", "drop"] as const) {
    await context.test(`a cut (${inFlight} what is under way) holds until it is healed`, async () => {
      await network.cut("p1", "p2", inFlight);
      assert.equal((await seen(testbed, 20, "p1", "p2")).loss.achieved, 1);
      assert.equal((await seen(testbed, 20, "b", "a")).loss.achieved, 0);
      await network.heal("p1", "p2");
      assert.equal((await seen(testbed, 20, "p1", "p2")).loss.achieved, 0);
    });
  }
});
