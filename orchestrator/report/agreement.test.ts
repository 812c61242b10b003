import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { madeRecording } from "../testing/made-recording.ts";
import { agreements } from "./agreement.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { withService } from "../plan/plan.ts";
import { conclude } from "../measure/conclude.ts";

const recording = madeRecording();
const { summary: made } = conclude(recording);

function changed(change: Partial<ServiceSummary>, meanAfter = 30): ServiceSummary {
  const latencyMs = structuredClone(made.latencyMs);
  if (latencyMs.overall.after !== null) latencyMs.overall.after.mean = meanAfter;
  return { ...made, latencyMs, ...change };
}

const differing = (live: readonly ServiceSummary[]): readonly string[] =>
  agreements(live.map((one) => ({ live: one, simulated: made, elected: made.leaders.after }))).flatMap(
    ({ quantities }) => quantities.filter(({ agreed }) => agreed === "differs").map(({ name }) => name),
  );

suite("live runs beside virtual time", () => {
  test("what is equal agrees", () => {
    assert.deepEqual(differing([made]), []);
  });

  test("a mean may be 5 % off, an outage 20 %", () => {
    assert.deepEqual(differing([changed({}, 31.4)]), []);
    assert.deepEqual(differing([changed({}, 31.6)]), ["mean after"]);
    const outage = (ms: number) => ({ outageMs: { overall: ms, sites: { ...made.outageMs?.sites } } });
    assert.deepEqual(differing([changed(outage(380))]), []);
    assert.deepEqual(differing([changed(outage(390))]), ["outage"]);
  });

  test("another leader differs, unless chance decided and the simulator went on with the live one", () => {
    const live = changed({ leaders: { ...made.leaders, after: 4 } });
    assert.deepEqual(differing([live]), ["leader"]);
    const [one] = agreements([{ live, simulated: live, elected: 3 }]);
    const leader = one?.quantities[0];
    assert.deepEqual([leader?.live, leader?.simulated, leader?.agreed], ["p4", "p3", "same"]);
  });

  test("runs that differ in their seed only stand together, as means", () => {
    const [one, ...more] = agreements([
      { live: changed({}, 28), simulated: made, elected: 3 },
      { live: changed({}, 33), simulated: made, elected: 3 },
    ]);
    assert.deepEqual(more, []);
    assert.equal(one?.runs, 2);
    assert.equal(one.quantities.find(({ name }) => name === "mean after")?.live, "30.50 ms");
  });

  test("to agree is shown by five runs, not by one, and not by runs that scatter beyond the margin", () => {
    const agreedOn = (name: string, means: readonly number[]) => {
      const runs = means.map((ms) => ({ live: changed({}, ms), simulated: made, elected: 3 }));
      return agreements(runs)[0]?.quantities.find((one) => one.name === name)?.agreed;
    };
    assert.equal(agreedOn("mean after", [30.5]), "not enough runs");
    assert.equal(agreedOn("mean after", [30.5, 29.5, 30.2, 30.9, 29.8]), "same");
    assert.equal(agreedOn("mean after", [34, 26, 33, 27, 30]), "not shown");
  });

  test("what is above physics is held to what machines add, and not to the way", () => {
    const { after } = made.physics;
    assert.ok(after !== null);
    const above = (ms: number): ServiceSummary =>
      changed({ physics: { ...made.physics, after: { ...after, aboveMs: after.aboveMs + ms } } });
    assert.deepEqual(differing([above(0.4)]), []);
    assert.deepEqual(differing([above(-0.6)]), ["above physics after"], "2 % of the mean would not be seen");
  });

  test("runs of the kind that the simulator was fitted to prove nothing, and are told apart", () => {
    const inSample = (live: ServiceSummary) =>
      agreements([{ live, simulated: made, elected: 3 }])[0]?.inSample;
    assert.equal(inSample(made), true);
    const { summary: slower } = conclude({
      ...recording,
      plan: withService(recording.plan, {
        workload: { ...recording.plan.subject.workload, ratePerSecond: 300 },
      }),
    });
    assert.equal(inSample(slower), false);
  });
});
