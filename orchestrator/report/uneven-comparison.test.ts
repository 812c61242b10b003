// lane: works, 5 s
// What is shown of a comparison whose runs are all unequal, one of which does not count.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, suite } from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { configured, readable } from "../testing/readable.ts";
import { unevenRecording } from "../testing/uneven-recording.ts";
import { demandTables } from "./across-runs.ts";
import { agreements } from "./agreement.ts";
import type { ComparedRun } from "./compared-run.ts";
import { comparisonFigures } from "./comparison-figures.ts";
import { type ComparisonResult, writeComparison } from "./comparison-report.ts";

const { summary: made } = conclude(unevenRecording());
const serializers = [(text: string) => text];
const testdata = (file: string): string => join(import.meta.dirname, "testdata", file);

/** All times of a summary, so many times as long. */
function longer(times: number, change: Partial<ServiceSummary> = {}): ServiceSummary {
  const isTime = /^(?:mean|p50|p95|p99|max|overall|slac|fnal|caltech|unaccountedMs|totalMs)$/;
  const scaled = (key: string, value: unknown): unknown =>
    typeof value === "number" && isTime.test(key) ? value * times : value;
  const { latencyMs, outageMs, recovery } = made;
  const copy = JSON.parse(JSON.stringify({ latencyMs, outageMs, recovery }, scaled)) as ServiceSummary;
  return { ...made, ...copy, ...change };
}

const leads = (leader: number, modelMs: number): Partial<ServiceSummary> => ({
  leaders: { before: 5, after: leader },
  physics: {
    ...made.physics,
    after: { leader, modelMs, aboveMs: 1, sites: { slac: { modelMs: modelMs - 2, aboveMs: 3 } } },
    outageBoundMs: 90 + leader,
  },
});
const missed = {
  thresholds: [{ text: "outage<bound", passed: false, measured: 412.5, unit: "ms", atLeast: false }],
};
const broken: ServiceSummary["verdict"] = {
  judgement: "invalid",
  findings: [{ property: "sessions see one order", judgement: "invalid", operations: 7, reasons: ["no"] }],
};
const run = (arm: string, repetition: number, summary: ServiceSummary): ComparedRun => ({
  id: `${arm}-${repetition + 1}`,
  folder: `cells/${arm.replaceAll(" ", "-")}-${repetition + 1}`,
  arm,
  repetition,
  summary: { ...summary, trial: { ...summary.trial, seed: 7 + repetition } },
});
const runs = [
  run("latency", 0, longer(1, leads(3, 31))),
  run("history", 0, longer(1.5, { ...leads(1, 44), outcomes: { ok: 9, failed: 2, unknown: 4 } })),
  run("latency", 1, longer(1.02, { ...leads(3, 31), ...missed })),
  run("history", 1, longer(1.53, { ...leads(2, 41), traffic: [] })),
  run("latency", 2, longer(1.05, leads(3, 31))),
  run("history", 2, longer(1.6, leads(1, 44))),
  run("latency again", 0, longer(1.01, leads(3, 31))),
  run("latency again", 1, longer(1.04, leads(3, 31))),
  run("history", 3, longer(99, { verdict: broken })),
];
const arms = ["latency", "history"];

suite("a comparison whose runs are all unequal", () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-uneven-comparison-"));
  const text = (file: string): string => readFileSync(join(folder, file), "utf8").replaceAll("\r", "");
  let result: ComparisonResult;

  before(async () => {
    result = await writeComparison(folder, {
      title: "made: under load",
      command: "make compare",
      runs,
      arms,
    });
  });
  after(() => rmSync(folder, { recursive: true }));

  test("an arm has the medians of its own runs", () => {
    const { arms: told } = JSON.parse(text("comparison.json")) as {
      arms: Record<"meanAfterMs" | "p99AfterMs" | "outageMs", { middle: number; low: number | null }>[];
    };
    const [latency, history] = told;
    const { mean, p99 } = made.latencyMs.overall.after ?? assert.fail();
    const outage = made.outageMs?.overall ?? assert.fail();
    for (const [arm, times] of [
      [latency, 1.02],
      [history, 1.53],
    ] as const) {
      assert.ok(arm !== undefined);
      for (const [found, expected] of [
        [arm.meanAfterMs, mean],
        [arm.p99AfterMs, p99],
        [arm.outageMs, outage],
      ] as const) {
        assert.ok(Math.abs(found.middle - times * expected) < 1e-9 * expected);
        assert.equal(found.low, null, "three runs have no interval");
      }
    }
  });

  test("the page", (t) => {
    t.assert.fileSnapshot(readable(text("report.html")), testdata("comparison-page.txt"), { serializers });
  });

  test("its tables, JUnit and the terminal", (t) => {
    const tables = ["mean-latency", "site-latency", "outage", "recovery", "runs"].map((name) =>
      text(`${name}.csv`),
    );
    const told = [...tables, text("junit.xml"), result.text, ""].join("\n");
    t.assert.fileSnapshot(told, testdata("comparison-tables.txt"), { serializers });
  });

  test("its charts", (t) => {
    const groups = arms.map((arm) => ({ arm, runs: runs.filter((one) => one.arm === arm) }));
    const charts = comparisonFigures(groups, "as made").map(configured).join("\n");
    t.assert.fileSnapshot(charts, testdata("comparison-charts.txt"), { serializers });
  });
});

test("what was not measured of any run has no row, no bar and no number", () => {
  const nothing = { recovery: null, traffic: [], expectations: [], thresholds: [], outageMs: null };
  const silent = [run("latency", 0, longer(1, nothing)), run("latency", 1, longer(1.1, nothing))];
  assert.deepEqual(
    comparisonFigures([{ arm: "latency", runs: silent }], "as made").map(({ name }) => name),
    ["mean-latency", "site-latency", "outage"],
  );
  assert.deepEqual(demandTables(silent), []);
  const [only, ...more] = agreements([
    {
      live: longer(1, { outageMs: null, machine: { syncMs: 1.25, exitMs: 31.5 } }),
      simulated: made,
      elected: 3,
    },
  ]);
  assert.deepEqual(more, []);
  assert.equal(only?.machine, "a log is safe in 1.25 ms, a killed process is gone in 31.50 ms");
  assert.ok(only.quantities.every(({ name }) => !name.startsWith("outage")));
});

test("live runs beside virtual time, every quantity by itself", (t) => {
  const machine = { syncMs: 1.25, exitMs: 31.5 };
  const { outageMs: _, ...rest } = made;
  const beside = agreements([
    { live: longer(1.04, { machine }), simulated: longer(1, { machine: null }), elected: 3 },
    { live: longer(1.08, { machine: { syncMs: 3, exitMs: 2 } }), simulated: longer(1), elected: null },
    { live: { ...rest, outageMs: null, machine: null }, simulated: made, elected: 2 },
  ]);
  t.assert.fileSnapshot(`${JSON.stringify(beside, null, 1)}\n`, testdata("agreement.txt"), { serializers });
});
