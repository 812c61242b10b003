import assert from "node:assert/strict";
import test from "node:test";
import { p99 } from "./big-tree.ts";
import type { Sample } from "../workload/load/plan.ts";

test("of the requests due within a time, one in a hundred waited longer than the p99", () => {
  const waitsMs = Array.from({ length: 200 }, (_, index) => index + 1);
  const samples = waitsMs.map((ms, index): Sample => [index, index, index + 1000 * ms]);
  assert.equal(p99(samples, 0, 99), 99);
  assert.equal(p99(samples, 100, 199), 199);
  assert.ok(Number.isNaN(p99(samples, 500, 600)));
});
