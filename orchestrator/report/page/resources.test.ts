import assert from "node:assert/strict";
import test from "node:test";
import { planTrial } from "../../plan/flags.ts";
import { resourceUse } from "./resources.ts";

test("what measured says what it took, and how late it was", () => {
  const plan = planTrial({ duration: "20s" }, "netns");
  const resources = [
    { who: "orchestrator", cpuSeconds: 1, peakBytes: 2 ** 27 },
    { who: "clients-slac", cpuSeconds: 2, peakBytes: 2 ** 26 },
    { who: "p1", cpuSeconds: 9, peakBytes: 2 ** 28 },
  ];
  const lateness = { count: 100, mean: 0.3, p50: 0.2, p95: 0.5, p99: 1.5, max: 12, atLeast: [] };
  const page = resourceUse(resources, plan, lateness)
    .map(({ markup }) => markup)
    .join("");
  assert.match(page, /together took 15\.0 % of one core, at 1000 writes\/s\. In steady state/);
  assert.match(
    page,
    /left its client 0\.2\d* ms after it was due \(median; p99 1\.5\d* ms, at most 12\d*.* ms\)/,
  );
  assert.deepEqual(resourceUse([], plan, lateness), []);
});
