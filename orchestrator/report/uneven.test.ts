// lane: works, 4 s
// What is shown of a run in which everything is unequal: the page, the tables beside the charts, the charts
// as their library gets them, JUnit and the terminal. Whatever number stood for another would show.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, suite } from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { parseThreshold } from "../measure/threshold.ts";
import { configured, readable } from "../testing/readable.ts";
import { unevenRecording } from "../testing/uneven-recording.ts";
import { dispatchScatter } from "./chart/dispatch-scatter.ts";
import { latencyDistribution } from "./chart/latency-distribution.ts";
import { acknowledgementCloseUp, latencyTimeline } from "./chart/latency-timeline.ts";
import { recoveryBars } from "./chart/recovery-bars.ts";
import { serverRecoveryBars } from "./chart/server-recovery-bars.ts";
import { headlineOf } from "./headline.ts";
import { writeRunReport } from "./run-report.ts";

const recording = unevenRecording();
const { measures } = conclude(recording);
const serializers = [(text: string) => text];
const testdata = (file: string): string => join(import.meta.dirname, "testdata", file);

suite("the report of a run in which everything is unequal", () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-uneven-"));
  const text = (file: string): string => readFileSync(join(folder, file), "utf8");
  let summary: ServiceSummary;

  before(async () => {
    const demanded = ["outage<bound", "p95.after<66ms", "p99.after<64.5ms"].map((words) => {
      const parsed = parseThreshold(words, []);
      assert.ok(typeof parsed !== "string");
      return parsed;
    });
    summary = await writeRunReport(folder, recording, demanded);
  });
  after(() => rmSync(folder, { recursive: true }));

  test("a row has its own mean, quantiles and counts, and how far physics is", () => {
    const row = /<tr><td>slac, after<\/td>.*?<\/tr>/.exec(text("report.html"))?.[0] ?? assert.fail();
    // 750 requests less 4 failed and 6 unknown; 15 + (n mod 100) / 2, and 100 more for one of a hundred;
    // those that failed count with 700 ms, the unknown with 900.
    assert.deepEqual(row.match(/(?<=<td>)[^<]*/g), [
      "slac, after",
      "740",
      "4",
      "6",
      "at least 51.99",
      "41.50",
      "63.00",
      "at least 700.00",
      "at least 900.00",
      "10.03",
      "+41.96",
    ]);
  });

  test("the page", (t) => {
    const { environment, plan } = recording;
    const page = readable(text("report.html"));
    assert.ok(page.includes(environment.kernel) && page.includes(plan.topology.name));
    t.assert.fileSnapshot(page, testdata("uneven-page.txt"), { serializers });
  });

  for (const file of ["fault-throughput", "latency-timeline", "recovery", "server-recovery", "traffic"]) {
    test(`the numbers of ${file}`, (t) => {
      t.assert.fileSnapshot(text(`${file}.csv`).replaceAll("\r", ""), testdata(`uneven-${file}.csv`), {
        serializers,
      });
    });
  }

  test("a distribution has what is usual in its middle and the tail at its end", () => {
    const [names = "", ...lines] = text("latency-distribution.csv").trimEnd().split("\r\n");
    assert.match(names, /^share,"caltech, before \(ms\)","caltech, after \(ms\)","slac, before/);
    const rows = lines.map((line) => line.split(","));
    const at = (share: string): string[] => rows.find(([first]) => first === share)?.slice(1) ?? [];
    assert.deepEqual(at("0.5"), ["93", "46.5", "83", "41.5", "73", "36.5"]);
    assert.deepEqual(at("0.99"), ["700", "700", "700", "700", "700", "700"]);
    assert.deepEqual(at("1"), ["900", "900", "900", "900", "900", "900"]);
  });

  test("JUnit and the terminal say what was missed", (t) => {
    assert.match(text("junit.xml"), /p99\.after&#60;64\.5ms"><failure message="measured at least 700 ms"/);
    assert.match(text("junit.xml"), /p95\.after&#60;66ms"\/>/);
    t.assert.fileSnapshot(`${text("junit.xml")}\n${headlineOf(summary)}\n`, testdata("uneven-told.txt"), {
      serializers,
    });
  });

  test("the charts", (t) => {
    const under = "as made";
    const { recovery } = measures;
    assert.ok(recovery !== null);
    const figures = [
      latencyTimeline(measures, under),
      latencyDistribution(measures, under),
      acknowledgementCloseUp(measures, under),
      dispatchScatter(recording.operations, measures, under),
      recoveryBars([{ label: "made", ...recovery }], under),
      serverRecoveryBars(recovery.servers, recovery.leader, under),
    ];
    t.assert.fileSnapshot(figures.map(configured).join("\n"), testdata("uneven-charts.txt"), { serializers });
  });

  test("a folder holds nothing else", () => {
    assert.equal(readdirSync(folder).length, 2 * 6 + 4);
  });
});
