import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { madeRecording } from "../testing/made-recording.ts";
import type { ComparedRun } from "./compared-run.ts";
import { writePeers } from "./peers-report.ts";

const { summary } = conclude(madeRecording());

const run = (arm: string, repetition: number, change: Partial<ServiceSummary> = {}): ComparedRun => ({
  id: `3dc ${arm}-${repetition + 1}`,
  folder: `cells/3dc-${arm}-${repetition + 1}`,
  arm,
  repetition,
  summary: { ...summary, ...change },
});

const reign = (leader: number, fromMs: number) => ({ leader, epoch: leader, fromMs });

/** p5 led before the load and was killed, p3 came; with etcd p4 led in between, and p3 again. */
const RUNS = [
  run("latency", 0, { reigns: [reign(5, -900), reign(3, 8000)] }),
  run("latency", 1, { verdict: { judgement: "invalid", findings: [] } }),
  run("etcd", 0, {
    reigns: [reign(5, -900), reign(4, 8000), reign(3, 9000), reign(4, 9500), reign(3, 9900)],
    resources: [{ who: "network", cpuSeconds: 1, peakBytes: 0, packets: 40_000 }],
  }),
];

test("arms side by side on each map: what counts, who leads, what it costs, whether they flap", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-peers-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const attempts = [
    { id: "3dc etcd-1", name: "attempt-1", folder: "x", judgement: "invalid", reason: "packets were late" },
  ];
  const topologies = [{ name: "3dc", description: "Deployment 1", runs: RUNS, attempts }];
  const peers = { command: "peers", arms: ["latency", "etcd"], topologies, failed: [] };
  const { text, json } = writePeers(folder, peers);
  const seconds = (summary.trial["phasesUs"] as { duration: number }).duration / 1e6;
  const [first] = (JSON.parse(json) as { topologies: { arms: Record<string, unknown>[] }[] }).topologies;
  const [latency, etcd] = first?.arms ?? [];
  assert.deepEqual([latency?.["runs"], latency?.["attempts"], latency?.["flaps"]], [1, 2, 0]);
  assert.deepEqual([etcd?.["runs"], etcd?.["attempts"], etcd?.["flaps"]], [1, 2, 3]);
  assert.deepEqual(etcd?.["packetsPerSecond"], { middle: 40_000 / seconds, low: null, high: null, count: 1 });
  assert.equal(latency?.["packetsPerSecond"], null, "not told is not nothing");
  assert.match(text, /^latency +1 +2 +p5 +p3 /m);
  const page = readFileSync(join(folder, "report.html"), "utf8");
  assert.match(page, /2 of 3 runs are valid and counted; 1 other attempts/);
  assert.match(page, /packets were late/);
});
