import assert from "node:assert/strict";
import test from "node:test";
import type { Sample } from "../workload/load/plan.ts";
import { takeover } from "./takeover.ts";

/** A request due at `intended` and answered after so many milliseconds. */
const sample = (intendedMs: number, tookMs: number): Sample => [
  intendedMs * 1e3,
  intendedMs * 1e3,
  (intendedMs + tookMs) * 1e3,
];

test("the gap runs from the last acknowledgement to the next, whenever the kill was within it", () => {
  const samples = [sample(0, 1), sample(10, 1), sample(15, 296), sample(300, 20)];
  assert.deepEqual(takeover(samples, 12_000), { gapMs: 300, stallMs: 0 });
});

test("what was due during the outage has waited for it; what was due later should not have", () => {
  const samples = [sample(0, 1), sample(20, 481), sample(502, 3), sample(510, 90), sample(590, 11)];
  assert.deepEqual(takeover(samples, 10_000), { gapMs: 500, stallMs: 90 });
});

test("a pause before the kill is none of its business", () => {
  const samples = [sample(0, 1), sample(900, 1), sample(950, 10), sample(1000, 1)];
  assert.equal(takeover(samples, 955_000)?.gapMs, 59);
});

test("a pause that begins when the dead is gone is none of its business either", () => {
  const samples = [sample(0, 1), sample(10, 30), sample(99, 1), sample(900, 300)];
  assert.equal(takeover(samples, 5_000, 20_000)?.gapMs, 60);
  const late = [sample(0, 1), sample(10, 30), sample(80, 420)];
  assert.equal(takeover(late, 5_000, 20_000)?.gapMs, 460, "but what begins with its last words is");
});

test("when nothing is acknowledged afterwards there is no takeover", () => {
  assert.equal(takeover([sample(0, 1)], 10_000), null);
  assert.equal(takeover([], 0), null);
});
