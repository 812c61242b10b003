import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, suite } from "node:test";
import { madeRecording } from "../testing/made-recording.ts";
import { parseThreshold } from "../measure/threshold.ts";
import { writeRecording, readRecording } from "../recording/run-folder.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { html } from "./page/markup.ts";
import { isServiceRecording } from "../recording/recording.ts";
import { headlineOf } from "./headline.ts";
import { writeRunReport } from "./run-report.ts";
import { parseSummary, publishedSchema, type ServiceSummary } from "../measure/summary.ts";
import { printCsv, printJunit } from "./table-text.ts";

suite("the report of a run", () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-report-"));
  let summary: ServiceSummary;
  const text = (file: string): string => readFileSync(join(folder, file), "utf8");

  before(async () => {
    const sites = ["caltech", "slac", "fnal"];
    const thresholds = ["outage<2s", "mean.after<10ms"].map((words) => {
      const parsed = parseThreshold(words, sites);
      assert.ok(typeof parsed !== "string");
      return parsed;
    });
    writeRecording(folder, madeRecording());
    const kept = readRecording(folder);
    assert.ok(isServiceRecording(kept));
    summary = await writeRunReport(folder, kept, thresholds);
  });
  after(() => rmSync(folder, { recursive: true }));

  test("every chart is a picture and has its numbers beside it", () => {
    const files = readdirSync(folder);
    const pictures = files.filter((file) => file.endsWith(".png"));
    assert.deepEqual(pictures, [
      "fault-latency.png",
      "fault-throughput.png",
      "latency-distribution.png",
      "latency-timeline.png",
      "recovery.png",
      "server-recovery.png",
    ]);
    for (const picture of pictures) {
      assert.equal(readFileSync(join(folder, picture)).subarray(1, 4).toString(), "PNG");
      assert.ok(files.includes(picture.replace(".png", ".csv")), picture);
    }
    assert.match(
      text("recovery.csv"),
      /,19,1,320\r\n$/,
      "19 ms to the first commit, 1 ms that nobody tells of",
    );
    assert.match(text("server-recovery.csv"), /^"p3, leads",10,140,40,20,90,0,18,318\r$/m);
  });

  test("around the fault every request stands at the moment when it was due, as high as it took", () => {
    assert.match(text("report.html"), /Around the fault: how long every request took; once served again, at/);
    const [head, ...lines] = text("fault-latency.csv").trimEnd().split("\r\n");
    assert.equal(head, "due (s),site,server,latency (ms),outcome");
    const caltech = lines.map((line) => line.split(",")).filter(([, site]) => site === "caltech");
    assert.equal(caltech.length, 250, "half a second before and two after, every 10 ms");
    for (const [due = "", , , took] of caltech) {
      const at = Math.round(Number(due) * 1e3);
      // The outage is a slope: what was due earlier waited longer for its end.
      const expected = at <= 9960 ? 40 : at < 10_300 ? 10_360 - at : 30;
      assert.equal(Math.round(Number(took)), expected, `due at ${due} s`);
    }
  });

  test("the page needs nothing but itself", () => {
    const page = text("report.html");
    assert.equal(page.match(/<img src="data:image\/png;base64,/g)?.length, 6);
    assert.doesNotMatch(page, /(?:src|href)="(?!data:|#|replay\.html")/);
    const [, map = ""] = /<svg(.*)<\/svg>/s.exec(page) ?? [];
    assert.match(map, /p3 leads after/);
    assert.match(map, /p5 led before/);
    assert.equal(map.match(/stroke-dasharray="4 3"/g)?.length, 1, "one ring around who led before");
    assert.match(
      page,
      /<h1>3dc, latency: 40\.0 ms a write under p5, 320 ms without service, 30\.0 ms under p3<\/h1>/,
    );
  });

  test("the election's scores are told, with the numbers behind them", () => {
    assert.match(text("report.html"), />score in round 3<\/th><th scope="col">meanMs</);
    assert.match(text("report.html"), /<strong>p3, elected<\/strong><\/td><td>21<\/td>/);
  });

  test("summary.json is what the schema says, and says what was measured", () => {
    const parsed = parseSummary(text("summary.json"));
    assert.deepEqual(parsed, summary);
    assert.equal(summary.outageMs?.overall, 320);
    assert.equal(summary.latencyMs.sites["slac"]?.after?.mean, 30);
    assert.equal(typeof parseSummary('{"format":"polebench summary 0"}'), "string");
    assert.equal(typeof parseSummary("{"), "string");
  });

  test("a missed threshold fails the run, in JUnit and for the caller", () => {
    assert.match(text("junit.xml"), /tests="6" failures="1"/);
    assert.match(text("junit.xml"), /mean\.after&#60;10ms"><failure message="measured 30 ms"/);
    assert.equal(exitCodeOf([summary]), 1);
    assert.equal(exitCodeOf([{ ...summary, thresholds: [] }]), 0);
    const doubtful = { ...summary, thresholds: [], verdict: { judgement: "unknown" as const, findings: [] } };
    assert.equal(exitCodeOf([doubtful]), 2);
  });

  test("in a terminal it is a line, and a line for each thing that is wrong", () => {
    const bound = summary.expectations.find(({ what }) => what === "the outage is within its bound");
    assert.equal(
      headlineOf(summary),
      "valid: p5 led: 40.0 ms a write; 320 ms without service; p3 leads: 30.0 ms a write\n" +
        "  missed: mean.after<10ms, measured 30 ms\n" +
        `  differs: the outage is within its bound: ${bound?.found}`,
    );
  });
});

test("the published schema of summary.json is the one that is used", () => {
  const published = new URL("../../reports/summary.schema.json", import.meta.url);
  assert.equal(
    readFileSync(published, "utf8"),
    publishedSchema(),
    "rewrite it: node orchestrator/measure/summary.ts",
  );
});

test("CSV quotes what needs it (RFC 4180)", () => {
  const table = {
    columns: ["a,b", 'say "x"'],
    rows: [
      [1, null],
      ["two\nlines", 0.5],
    ],
  };
  assert.equal(printCsv(table), '"a,b","say ""x"""\r\n1,\r\n"two\nlines",0.5\r\n');
});

test("what a name says is text, never markup", () => {
  assert.equal(html`<p>${'<script>"'}</p>`.markup, "<p>&#60;script&#62;&#34;</p>");
  assert.match(printJunit("<x>", [], []), /name="&#60;x&#62;"/);
});
