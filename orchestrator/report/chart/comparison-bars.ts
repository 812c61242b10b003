/** One quantity for several arms (oracles, leaders), with its interval, beside what physics allows. */

import type { Chart, Plugin } from "chart.js";
import { axis, baseOptions, type Figure, type Table, whiskers } from "./figure.ts";
import { fill } from "./fill.ts";
import { FONT, INK, look, printNumber } from "./style.ts";

export interface ComparisonBar {
  readonly label: string;
  /** In the order of `series`; null where nothing was measured. */
  readonly values: readonly (BarValue | null)[];
}

export interface BarValue {
  readonly middle: number;
  /** Null where there are not enough runs. */
  readonly low: number | null;
  readonly high: number | null;
  /** What the model says; marked at the bar's sides, so that its top and its interval stay visible. */
  readonly model: number | null;
}

export interface ComparisonOf {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly unit: string;
  /** What the marks beside a bar are; what physics allows when not given. */
  readonly model?: string;
  /** What a bar is as high as; the median of runs when not given. */
  readonly middle?: string;
  /** What the bars of one group are: sites, phases. */
  readonly series: readonly string[];
  readonly bars: readonly ComparisonBar[];
}

export function comparisonBars(of: ComparisonOf): Figure {
  const { name, title, caption, unit, series, bars, model = "what physics allows" } = of;
  const { middle = "median of runs" } = of;
  const valuesOf = (index: number): readonly (BarValue | null)[] =>
    bars.map(({ values }) => values[index] ?? null);
  const top = Math.max(
    0,
    ...bars.flatMap(({ values }) =>
      values.map((value) => Math.max(value?.high ?? value?.middle ?? 0, value?.model ?? 0)),
    ),
  );
  const models = bars.some(({ values }) => values.some((value) => typeof value?.model === "number"));
  return {
    name,
    title,
    caption,
    config: {
      type: "bar",
      data: {
        labels: bars.map(({ label }) => label.split("\n")),
        datasets: [
          ...series.map((one, index) => ({
            label: one,
            data: valuesOf(index).map((value) => value?.middle ?? null),
            backgroundColor: fill(index),
            borderColor: look(index).colour,
            borderWidth: 1,
            barPercentage: 0.9,
            categoryPercentage: 0.75,
            pointStyle: "rect" as const,
          })),
          ...(models
            ? [
                {
                  // A line, so that it takes no room among the bars.
                  type: "line" as const,
                  label: model,
                  data: [],
                  borderColor: INK,
                  backgroundColor: INK,
                  pointStyle: "triangle" as const,
                  pointRotation: 90,
                  pointRadius: 5,
                },
              ]
            : []),
        ],
      },
      options: {
        ...baseOptions(title, caption),
        scales: {
          x: axis("", { title: { display: false }, grid: { display: false } }),
          y: axis(unit, { beginAtZero: true, suggestedMax: top * 1.05 }),
        },
      },
      plugins: [
        whiskers(series.map((_, index) => valuesOf(index))),
        limits(series.map((_, index) => valuesOf(index))),
        ...(series.length === 1 ? [figures(valuesOf(0))] : []),
      ],
    },
    table: tableOf({ unit, series, bars, model, middle }),
  };
}

function tableOf({ unit, series, bars, model, middle }: Required<Pick<ComparisonOf, TableWords>>): Table {
  return {
    columns: ["", "", `${middle} (${unit})`, "95 % from", "to", model],
    rows: bars.flatMap(({ label, values }) =>
      values.map((value, index) => [
        label.replaceAll("\n", " "),
        series[index] ?? "",
        value?.middle ?? null,
        value?.low ?? null,
        value?.high ?? null,
        value?.model ?? null,
      ]),
    ),
  };
}

type TableWords = "unit" | "series" | "bars" | "model" | "middle";

/** The model's value: a notch at either side of each bar. */
const limits = (of: readonly (readonly (BarValue | null)[])[]): Plugin => ({
  id: "limits",
  afterDatasetsDraw(chart) {
    const { ctx, scales } = chart;
    const y = scales["y"];
    if (y === undefined) return;
    for (const [index, ofDataset] of of.entries()) {
      for (const [place, bar] of chart.getDatasetMeta(index).data.entries()) {
        const model = ofDataset[place]?.model;
        if (typeof model !== "number") continue;
        const { width = 20 } = bar as unknown as { width?: number };
        const at = y.getPixelForValue(model);
        const size = Math.min(NOTCH, width / 4);
        notch(ctx, bar.x - width / 2, at, size);
        notch(ctx, bar.x + width / 2, at, -size);
      }
    }
  },
});

/** Its tip is as far to the right as `size` says; with white around it, it shows on any fill. */
function notch(ctx: Chart["ctx"], x: number, y: number, size: number): void {
  const half = Math.abs(size) * 0.7;
  ctx.save();
  ctx.beginPath();
  ctx.moveTo(x + size, y);
  ctx.lineTo(x, y - half);
  ctx.lineTo(x, y + half);
  ctx.closePath();
  ctx.strokeStyle = "white";
  ctx.lineWidth = 2;
  ctx.stroke();
  ctx.fillStyle = INK;
  ctx.fill();
  ctx.restore();
}

/** The values in figures at the feet of the bars, where there is room: a miss may be too small to see. */
const figures = (of: readonly (BarValue | null)[]): Plugin => ({
  id: "figures",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.font = `bold 12px ${FONT}`;
    ctx.textAlign = "center";
    ctx.fillStyle = "white";
    ctx.strokeStyle = look(0).colour;
    ctx.lineWidth = 3;
    for (const [place, { x }] of chart.getDatasetMeta(0).data.entries()) {
      const value = of[place];
      if (value === null || value === undefined) continue;
      const text = printNumber(value.middle);
      ctx.strokeText(text, x, chartArea.bottom - 8);
      ctx.fillText(text, x, chartArea.bottom - 8);
    }
    ctx.restore();
  },
});

const NOTCH = 7;
