// lane: works, 3 s
// What our own strokes add to charts, bars' whiskers and notches, marks and their words, as pictures in
// letters. A square may be a shade off: glyphs are not drawn alike on every processor.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { suite } from "node:test";
import { conclude } from "../../measure/conclude.ts";
import { madeElection } from "../../testing/made-election.ts";
import { coarse, configured } from "../../testing/readable.ts";
import { unevenRecording } from "../../testing/uneven-recording.ts";
import { beliefsOverTime } from "./beliefs.ts";
import { comparisonBars } from "./comparison-bars.ts";
import type { Figure } from "./figure.ts";
import { tile } from "./fill.ts";
import { latencyDistribution } from "./latency-distribution.ts";
import { latencyTimeline } from "./latency-timeline.ts";
import { LOOK_COUNT, look, printMs, printNumber } from "./style.ts";
import { sweepLines } from "./sweep-lines.ts";

const value = (middle: number, low: number, high: number, model: number | null) => ({
  middle,
  low,
  high,
  model,
});
const interval = (middle: number, low: number, high: number) => ({ middle, low, high, count: 9 });
const words = { name: "made", title: "Made", caption: "as made" };
const election = madeElection(
  {
    0: "1, 1 > 1, 1!, 2, 2 > 2, 2!, 3, 3 > 3, 3!",
    1000: "1 > 2, 2 > 3",
    4000: "1 > 3",
    8500: "3 ends, 2 > 2",
  },
  {},
  [{ at: 8_500_000, fault: "crash leader", servers: [3] }],
);

const figures: Readonly<Record<string, Figure>> = {
  bars: comparisonBars({
    ...words,
    unit: "ms",
    series: ["one", "two"],
    bars: [
      { label: "left\nhand", values: [value(60, 40, 90, 20), value(30, 30, 30, null)] },
      { label: "right", values: [null, value(100, 95, 120, 140)] },
    ],
  }),
  "one series": comparisonBars({
    ...words,
    unit: "ms",
    series: ["only"],
    bars: [
      { label: "a", values: [value(60, 55, 70, null)] },
      { label: "b", values: [value(1234, 1234, 1234, null)] },
    ],
  }),
  lines: sweepLines({
    ...words,
    xAxis: "rate",
    yAxis: "ms",
    xs: [1, 2, 4],
    lines: [
      { label: "thin", points: [interval(10, 5, 20), null, interval(40, 40, 40)] },
      { label: "thick", look: 3, strong: true, points: [interval(50, 45, 60), interval(80, 60, 90), null] },
    ],
    bound: { label: "bound", values: [5, null, 8] },
  }),
  marks: latencyTimeline(conclude(unevenRecording()).measures, "as made"),
  beliefs: beliefsOverTime(election, conclude(election).measures, "as made"),
};

suite("charts as they are drawn", () => {
  for (const [name, figure] of Object.entries(figures)) {
    test(name, async () => {
      const drawn = await coarse(figure);
      const file = join(import.meta.dirname, "testdata", `${name.replaceAll(" ", "-")}.txt`);
      if (process.execArgv.includes("--test-update-snapshots")) writeFileSync(file, drawn);
      const [expected, found] = [readFileSync(file, "utf8"), drawn].map((text) => text.split("\n"));
      assert.equal(found?.length, expected?.length);
      for (const [row, line = ""] of (expected ?? []).entries()) {
        const length = Math.max(line.length, found?.[row]?.length ?? 0);
        for (let column = 0; column < length; column++) {
          const [was, is] = [line, found?.[row] ?? ""].map((text) => Number(text[column] ?? 0));
          const apart = Math.abs((was ?? 0) - (is ?? 0));
          assert.ok(apart <= 1, `row ${row}, column ${column}: ${is} instead of ${was}\n${drawn}`);
        }
      }
    });
  }

  test("what their library gets, and their tables", (t) => {
    const told = Object.entries(figures).map(
      ([name, figure]) => `${name}\n${configured(figure)}${JSON.stringify(figure.table, null, 1)}\n`,
    );
    t.assert.fileSnapshot(told.join("\n"), join(import.meta.dirname, "testdata", "charts.txt"), {
      serializers: [(text: string) => text],
    });
  });
});

test("fills and looks are what they were", (t) => {
  const told = Array.from({ length: LOOK_COUNT }, (_, index) => {
    const canvas = tile(index);
    const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const shade = (at: number): string => String(Math.floor((data[4 * at + 1] ?? 0) / 64));
    const rows = Array.from({ length: height }, (_row, y) =>
      Array.from({ length: width }, (_column, x) => shade(y * width + x)).join(""),
    );
    const { colour, dash, point } = look(index);
    return [`${colour} ${dash.join(" ")} ${String(point)}`, ...rows, ""].join("\n");
  });
  t.assert.fileSnapshot(told.join("\n"), join(import.meta.dirname, "testdata", "looks.txt"), {
    serializers: [(text: string) => text],
  });
});

test("a line of a distribution has its markers in the middle of each quarter, larger after the fault", () => {
  const { config } = latencyDistribution(conclude(unevenRecording()).measures, "as made");
  const radii = config.data.datasets.slice(0, 2).map((dataset) => {
    assert.ok("pointRadius" in dataset && typeof dataset.pointRadius === "function");
    const radius = dataset.pointRadius as (context: { readonly dataIndex: number }) => number;
    return [0, 11, 12, 13, 37, 62, 87, 100].map((dataIndex) => radius({ dataIndex }));
  });
  assert.deepEqual(radii, [
    [0, 0, 3, 0, 3, 3, 3, 0],
    [0, 0, 5, 0, 5, 5, 5, 0],
  ]);
});

test("numbers are as short as they can be without lying", () => {
  const printed = [0, 0.005, 9.876, 9.999, 10, 31.14, 99.95, 100, 128.6, 1239.5, -1234567, Infinity];
  assert.deepEqual(printed.map(printNumber), [
    "0.00",
    "0.01",
    "9.88",
    "10.00",
    "10.0",
    "31.1",
    "100.0",
    "100",
    "129",
    "1,240",
    "-1,234,567",
    "none",
  ]);
  assert.deepEqual([printMs(null), printMs(undefined), printMs(2)], ["none", "none", "2.00 ms"]);
});

test("looks begin again after the last", () => {
  assert.equal(look(LOOK_COUNT), look(0));
  assert.notEqual(look(LOOK_COUNT - 1), look(0));
});
