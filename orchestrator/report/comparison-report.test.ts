import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { madeRecording } from "../testing/made-recording.ts";
import type { AcrossRuns } from "./across-runs.ts";
import type { ComparedRun } from "./compared-run.ts";
import { writeComparison } from "./comparison-report.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { conclude } from "../measure/conclude.ts";

const recording = madeRecording();
const { summary: base } = conclude(recording);

/** The made run, with another mean after the fault. */
function runOf(
  arm: string,
  repetition: number,
  meanMs: number,
  change: Partial<ServiceSummary> = {},
): ComparedRun {
  const latencyMs = structuredClone(base.latencyMs);
  if (latencyMs.overall.after !== null) latencyMs.overall.after.mean = meanMs;
  const id = `${arm}-${repetition + 1}`;
  const summary = { ...base, latencyMs, ...change };
  return { id, folder: `cells/${id.replaceAll(" ", "-")}`, arm, repetition, summary };
}

async function compared(runs: readonly ComparedRun[], arms: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "polebench-compare-"));
  try {
    const result = await writeComparison(folder, { title: "made", command: "make compare", runs, arms });
    const json = JSON.parse(readFileSync(join(folder, "comparison.json"), "utf8")) as {
      arms: {
        arm: string;
        runs: number;
        meanAfterMs: { mean: number } | null;
        modelMs: number;
        models: { leader: number; modelMs: number }[];
      }[];
      thresholds: AcrossRuns[];
      expectations: AcrossRuns[];
      made: Record<string, string>;
    };
    const [page = "", junit = "", means = ""] = ["report.html", "junit.xml", "mean-latency.csv"].map((file) =>
      readFileSync(join(folder, file), "utf8"),
    );
    return { ...result, json, page, junit, means };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a difference that is larger than the noise of pairs is found, one that is not is not", async () => {
  const noise = [0, 3, 1, 4, 2];
  const runs = noise.flatMap((extra, repetition) => [
    runOf("slow", repetition, 50 + extra + repetition / 10),
    runOf("fast", repetition, 40 + extra),
    runOf("also fast", repetition, 40 + extra + ([0.1, -0.1, 0.2, -0.2, 0.05][repetition] ?? 0)),
  ]);
  const { differences, text } = await compared(runs, ["slow", "fast", "also fast"]);
  const p = (a: string, b: string, of = "mean latency after the fault") =>
    differences.find((one) => one.quantity === of && one.a === a && one.b === b)?.p ?? Number.NaN;
  assert.ok(p("slow", "fast") < 0.001);
  assert.ok(p("fast", "also fast") > 0.5);
  assert.equal(p("slow", "fast", "outage"), 1, "all outages are alike");
  assert.match(text, /differs, not by chance:\n  mean latency after the fault: slow minus fast: 10\.20 ms/);
});

test("runs that are no result are shown, and counted in nothing", async () => {
  const broken = { verdict: { judgement: "invalid" as const, findings: [] } };
  const { json, page } = await compared(
    [runOf("a", 0, 30), runOf("a", 1, 32), runOf("a", 2, 900, broken)],
    ["a"],
  );
  assert.equal(json.arms[0]?.runs, 2);
  assert.equal(json.arms[0]?.meanAfterMs?.mean, 31);
  assert.match(page, /2 of 3 runs are valid and counted/);
  assert.match(page, /a-3/);
});

test("the arm that was run again shows the noise, and is no rival", async () => {
  const runs = [0, 1, 2].flatMap((repetition) => [
    runOf("a", repetition, 30),
    runOf("b", repetition, 35),
    runOf("a again", repetition, 30.4),
  ]);
  const { differences, page } = await compared(runs, ["a", "b"]);
  assert.equal(differences.length, 3, "a mean, a p99 and an outage of the one pair");
  assert.match(page, /a and a again, the same with other seeds, are 0\.40 ms apart in mean latency/);
  assert.match(page, /<a href="cells\/a-again-1\/report.html">a again-1<\/a>/);
});

test("the page says how all was made, what was demanded of it, and where that did not hold", async () => {
  const commits = ["abc", "abc", "def"];
  const runs = commits.map((commit, repetition) => {
    const thresholds = [{ text: "outage<bound", passed: commit === "abc", measuredMs: 320 }];
    const environment = { ...base.environment, commit, kernel: "6.1" };
    const trial = { ...base.trial, seed: 7 + repetition };
    return runOf("a", repetition, 30, { thresholds, environment, trial });
  });
  const { json, page, junit } = await compared(runs, ["a"]);
  assert.equal(json.made["command"], "make compare");
  assert.equal(json.made["commit"], "abc (2 of 3 runs); def (1 of 3 runs)");
  assert.deepEqual([json.made["kernel"], json.made["seeds"]], ["6.1", "7, 8, 9"]);
  assert.deepEqual(json.thresholds, [
    { what: "outage<bound", holdsIn: 2, runs: 3, except: [{ run: "a-3", found: "320.0 ms" }] },
  ]);
  const [leader] = json.expectations;
  assert.deepEqual([leader?.what, leader?.holdsIn], ["the leader is one that the model expects", 3]);
  assert.match(page, /<td>2 of 3 runs<\/td><td><div>a-3: 320\.0 ms<\/div>/);
  assert.match(page, /<td>seeds<\/td><td>7, 8, 9<\/td>/);
  assert.match(junit, /a-3: outage&#60;bound"><failure/);
});

test("repetitions that elected different leaders are held against the physics of each", async () => {
  const led = (leader: number, modelMs: number): Partial<ServiceSummary> => ({
    leaders: { ...base.leaders, after: leader },
    physics: { ...base.physics, after: { leader, modelMs, aboveMs: 1, sites: {} } },
  });
  const runs = [
    runOf("a", 0, 32, led(1, 31.5)),
    runOf("a", 1, 26, led(2, 25.5)),
    runOf("a", 2, 33, led(1, 31.5)),
  ];
  const { json, page, means } = await compared(runs, ["a"]);
  assert.match(page, /<td>p2: 25\.50, p1: 31\.50<\/td>/);
  assert.equal(json.arms[0]?.modelMs, 29.5);
  assert.deepEqual(json.arms[0]?.models, [
    { leader: 2, modelMs: 25.5 },
    { leader: 1, modelMs: 31.5 },
  ]);
  const [head = "", row = ""] = means.split("\n");
  assert.match(head, /what physics allows the leaders, mean over runs/);
  assert.match(row, /^"a led by p1, p2",.*,29\.5\r?$/);
});
