import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { madeRecording } from "../testing/made-recording.ts";
import type { AcrossRuns } from "./across-runs.ts";
import type { ComparedRun, OtherAttempt } from "./compared-run.ts";
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

async function compared(
  runs: readonly ComparedRun[],
  arms: readonly string[],
  attempts: readonly OtherAttempt[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), "polebench-compare-"));
  try {
    const result = await writeComparison(folder, {
      title: "made",
      command: "make compare",
      runs,
      arms,
      attempts,
    });
    const json = JSON.parse(readFileSync(join(folder, "comparison.json"), "utf8")) as {
      arms: {
        arm: string;
        runs: number;
        meanAfterMs: { middle: number } | null;
        modelMs: number;
        models: { leader: number; modelMs: number }[];
      }[];
      attempts: { made: number; counted: number };
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
  const noise = [0, 3, 1, 4, 2, 5, 6, 7, 9];
  const runs = noise.flatMap((extra, repetition) => [
    runOf("slow", repetition, 50 + extra + repetition / 10),
    runOf("fast", repetition, 40 + extra),
    runOf("also fast", repetition, 40 + extra + (repetition % 2 === 0 ? 0.1 : -0.1)),
  ]);
  const { differences, text } = await compared(runs, ["slow", "fast", "also fast"]);
  const p = (a: string, b: string, of = "mean latency after the fault") =>
    differences.arms.find((one) => one.quantity === of && one.a === a && one.b === b)?.p ?? Number.NaN;
  assert.equal(p("slow", "fast"), (9 * 2) / 2 ** 9, "of nine comparisons the smallest; nothing ran twice");
  assert.ok(p("fast", "also fast") > 0.5);
  assert.equal(p("slow", "fast", "outage"), 1, "all outages are alike");
  assert.match(text, /differs, not by chance:\n  mean latency after the fault: slow minus fast: 10\.40 ms/);
  assert.doesNotMatch(text, /not enough runs/);
});

test("what too few runs cannot tell is no difference, and the page says how many can", async () => {
  const runs = [0, 1, 2, 3, 4].flatMap((repetition) => [
    runOf("slow", repetition, 50 + repetition),
    runOf("fast", repetition, 40 + repetition),
  ]);
  const { text, page } = await compared(runs, ["slow", "fast"]);
  assert.doesNotMatch(text, /differs/);
  assert.match(
    text,
    /not enough runs: of 3 of 3 comparisons nothing could have counted, with 5 pairs; 8 can/,
  );
  assert.match(page, /<td>10\.00<\/td><td>not enough runs<\/td>/);
});

test("attempts that came to nothing are counted, and shown with the reason", async () => {
  const attempt = { id: "a-1", name: "attempt-1", folder: "cells/a-1/attempt-1" };
  const { json, page, text } = await compared(
    [runOf("a", 0, 30)],
    ["a"],
    [{ ...attempt, judgement: "broken", reason: "no port" }],
  );
  assert.match(page, /1 of 2 attempts are valid and counted/);
  assert.match(page, /attempt-1<\/a><\/td><td>broken<\/td><td>no port/);
  assert.match(text, /^1 of 2 attempts/);
  assert.deepEqual([json.attempts.made, json.attempts.counted], [2, 1]);
});

test("runs that are no result are shown, and counted in nothing", async () => {
  const broken = { verdict: { judgement: "invalid" as const, findings: [] } };
  const { json, page } = await compared(
    [runOf("a", 0, 30), runOf("a", 1, 32), runOf("a", 2, 900, broken)],
    ["a"],
  );
  assert.equal(json.arms[0]?.runs, 2);
  assert.equal(json.arms[0]?.meanAfterMs?.middle, 31);
  assert.match(page, /2 of 3 attempts are valid and counted/);
  assert.match(page, /a-3/);
});

test("the arm that was run again goes through the same test, and is no rival", async () => {
  const runs = [0, 1, 2].flatMap((repetition) => [
    runOf("a", repetition, 30),
    runOf("b", repetition, 35),
    runOf("a again", repetition, 30.4),
  ]);
  const { differences, page, text } = await compared(runs, ["a", "b"]);
  assert.equal(differences.arms.length, 3, "a mean, a p99 and an outage of the one pair");
  assert.deepEqual(
    differences.again.map(({ a, b, p }) => [a, b, p]),
    [1, 1, 1].map((p) => ["a", "a again", p]),
  );
  assert.match(page, /<td>a minus a again<\/td><td>mean latency after the fault<\/td><td>-0\.40<\/td>/);
  assert.match(page, /<a href="cells\/a-again-1\/report.html">a again-1<\/a>/);
  assert.match(
    text,
    /A\/A, a and a again: mean latency after the fault p = 1\.000, .*; not enough runs to tell$/,
  );
});

test("where the arm that was run again differs, that is said before anything else", async () => {
  const runs = Array.from({ length: 9 }, (_, repetition) => [
    runOf("a", repetition, 30 + repetition),
    runOf("b", repetition, 35 + repetition),
    runOf("a again", repetition, 30.4 + repetition),
  ]).flat();
  const { page, text } = await compared(runs, ["a", "b"]);
  assert.match(
    text,
    /^The A\/A arm differs in mean latency after the fault \(p = 0\.023\): a and a again are/,
  );
  const [lead = ""] = page.split("valid and counted");
  assert.match(lead, /The A\/A arm differs/);
});

test("the page says how all was made, what was demanded of it, and where that did not hold", async () => {
  const commits = ["abc", "abc", "def"];
  const runs = commits.map((commit, repetition) => {
    const thresholds = [
      { text: "outage<bound", passed: commit === "abc", measured: 320, unit: "ms", atLeast: false },
    ];
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
