import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { madeRecording } from "../testing/made-recording.ts";
import { agreements } from "./agreement.ts";
import type { ServiceSummary } from "../measure/summary.ts";
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
    ({ quantities }) => quantities.filter(({ agrees }) => !agrees).map(({ name }) => name),
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
    assert.deepEqual([leader?.live, leader?.simulated, leader?.agrees], ["p4", "p3", true]);
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
});
