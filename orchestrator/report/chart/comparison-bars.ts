/** One quantity for several arms (oracles, leaders), with its interval, beside what physics allows. */

import type { Chart, Plugin } from "chart.js";
import { axis, baseOptions, type Figure, whiskers } from "./figure.ts";
import { INK, look } from "./style.ts";

export interface ComparisonBar {
  readonly label: string;
  /** In the order of `series`; null where nothing was measured. */
  readonly values: readonly (BarValue | null)[];
}

export interface BarValue {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** What the model says; a short line across the bar. */
  readonly model: number | null;
}

export interface ComparisonOf {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly unit: string;
  /** What the line across a bar is; what physics allows when not given. */
  readonly model?: string;
  /** What the bars of one group are: sites, phases. */
  readonly series: readonly string[];
  readonly bars: readonly ComparisonBar[];
}

export function comparisonBars(of: ComparisonOf): Figure {
  const { name, title, caption, unit, series, bars, model = "what physics allows" } = of;
  const valuesOf = (index: number): readonly (BarValue | null)[] =>
    bars.map(({ values }) => values[index] ?? null);
  const top = Math.max(
    0,
    ...bars.flatMap(({ values }) => values.map((value) => Math.max(value?.high ?? 0, value?.model ?? 0))),
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
            data: valuesOf(index).map((value) => value?.mean ?? null),
            backgroundColor: `${look(index).colour}${index % 2 === 0 ? "" : "b0"}`,
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
                  borderWidth: 3,
                  pointStyle: "line" as const,
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
      ],
    },
    table: {
      columns: ["", "", `mean (${unit})`, "95 % from", "to", model],
      rows: bars.flatMap(({ label, values }) =>
        values.map((value, index) => [
          label.replaceAll("\n", " "),
          series[index] ?? "",
          value?.mean ?? null,
          value?.low ?? null,
          value?.high ?? null,
          value?.model ?? null,
        ]),
      ),
    },
  };
}

/** The model's value, as a line across each bar. */
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
        ctx.save();
        ctx.lineWidth = 4;
        ctx.strokeStyle = "white";
        line(ctx, bar.x - width / 2, bar.x + width / 2, at);
        ctx.lineWidth = 2;
        ctx.strokeStyle = INK;
        line(ctx, bar.x - width / 2, bar.x + width / 2, at);
        ctx.restore();
      }
    }
  },
});

function line(ctx: Chart["ctx"], from: number, to: number, at: number): void {
  ctx.beginPath();
  ctx.moveTo(from, at);
  ctx.lineTo(to, at);
  ctx.stroke();
}
