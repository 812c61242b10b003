import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { judgeRun } from "../measure/judgement.ts";
import { madeRecording } from "../measure/made-recording.ts";
import { measure } from "../measure/measures.ts";
import { type ComparedRun, writeComparison } from "./comparison-report.ts";
import { type Summary, summarise } from "./summary.ts";

const recording = madeRecording();
const measures = measure(recording);
const base = summarise(recording, measures, judgeRun(recording, measures), []);

/** The made run, with another mean after the fault. */
function runOf(arm: string, repetition: number, meanMs: number, change: Partial<Summary> = {}): ComparedRun {
  const latencyMs = structuredClone(base.latencyMs);
  if (latencyMs.overall.after !== null) latencyMs.overall.after.mean = meanMs;
  const id = `${arm}-${repetition + 1}`;
  const summary = { ...base, latencyMs, ...change };
  return { id, folder: `cells/${id.replaceAll(" ", "-")}`, arm, repetition, summary };
}

async function compared(runs: readonly ComparedRun[], arms: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "polebench-compare-"));
  try {
    const result = await writeComparison(folder, "made", runs, arms);
    const json = JSON.parse(readFileSync(join(folder, "comparison.json"), "utf8")) as {
      arms: { arm: string; runs: number; meanAfterMs: { mean: number } | null }[];
    };
    return { ...result, json, page: readFileSync(join(folder, "report.html"), "utf8") };
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
  const p = (a: string, b: string) => differences.find((one) => one.a === a && one.b === b)?.p ?? Number.NaN;
  assert.ok(p("slow", "fast") < 0.001);
  assert.ok(p("fast", "also fast") > 0.5);
  assert.match(text, /differs, not by chance:\n  slow minus fast: 10\.20 ms/);
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
  assert.equal(differences.length, 1);
  assert.match(page, /a and a again, the same with other seeds, are 0\.40 ms apart in mean latency/);
  assert.match(page, /<a href="cells\/a-again-1\/report.html">a again-1<\/a>/);
});
