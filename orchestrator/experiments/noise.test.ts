import assert from "node:assert/strict";
import test from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { planTrial } from "../plan/flags.ts";
import { madeRecording } from "../testing/made-recording.ts";
import { noiseCells, noiseOf } from "./noise.ts";

const cells = noiseCells(planTrial({ seed: "3" }, "sim"), 40, 8);
const { summary: made } = conclude(madeRecording());
const withMean = (mean: number): ServiceSummary => {
  const latencyMs = structuredClone(made.latencyMs);
  if (latencyMs.overall.after !== null) latencyMs.overall.after.mean = mean;
  return { ...made, latencyMs };
};

test("every run has a seed of its own, and who of a pair goes first is drawn", () => {
  assert.equal(cells.length, 40 * 2 * 8);
  assert.equal(new Set(cells.map(({ plan }) => plan.seed)).size, cells.length);
  const firsts = cells.filter((_, index) => index % 2 === 0).filter(({ arm }) => arm.endsWith("again"));
  assert.ok(firsts.length > 120 && firsts.length < 200, `${firsts.length} of 320`);
});

test("an arm that differs from itself is counted, and more than one in twenty are too many", () => {
  const runs = (crooked: number) =>
    cells.map((cell) => ({
      ...cell,
      summary: withMean(
        30 + (cell.plan.seed % 7) + (cell.arm.endsWith("again") && cell.comparison < crooked ? 20 : 0),
      ),
    }));
  const [straight, crooked] = [noiseOf(runs(0)), noiseOf(runs(5))];
  assert.deepEqual([straight.comparisons, crooked.differ, crooked.allowed], [40, 5 + straight.differ, 2]);
});

test("runs that are no result are in no comparison", () => {
  const invalid = { ...made, verdict: { ...made.verdict, judgement: "invalid" as const } };
  assert.equal(noiseOf(cells.map((cell) => ({ ...cell, summary: invalid }))).comparisons, 0);
});
