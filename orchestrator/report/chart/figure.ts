/** A chart with all that goes with it: what it says, what it was drawn from, and its picture. */

import type { Chart, ChartConfiguration, ChartOptions, Plugin } from "chart.js";
import { ChartJSNodeCanvas } from "chartjs-node-canvas";
import { fileURLToPath } from "node:url";
import { FAINT, FONT, INK, RULE } from "./style.ts";

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

export interface Figure {
  /** Of its file. */
  readonly name: string;
  /** What is shown, as a question or in plain words: nothing that the next run could deny. */
  readonly title: string;
  /** Units, conditions, and how it is to be read. */
  readonly caption: string;
  readonly config: ChartConfiguration;
  readonly table: Table;
  readonly width?: number;
  readonly height?: number;
}

export const WIDTH = 960;
export const HEIGHT = 400;

/** Pixels for each unit of size, so that charts are sharp on good screens and in print. */
const DENSITY = 2;

export async function drawPng({ config, width = WIDTH, height = HEIGHT }: Figure): Promise<Buffer> {
  const canvas = canvasOf(width, height);
  return canvas.renderToBuffer(config);
}

const canvases = new Map<string, ChartJSNodeCanvas>();

/** One for each size: registering fonts and plugins anew for each chart costs more than drawing it. */
function canvasOf(width: number, height: number): ChartJSNodeCanvas {
  const key = `${width}x${height}`;
  let canvas = canvases.get(key);
  if (canvas === undefined) {
    canvas = new ChartJSNodeCanvas({ width, height, backgroundColour: "white" });
    for (const [file, weight] of [
      ["DejaVuSans.ttf", "normal"],
      ["DejaVuSans-Bold.ttf", "bold"],
    ] as const) {
      const path = fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`));
      canvas.registerFont(path, { family: FONT, weight });
    }
    canvases.set(key, canvas);
  }
  return canvas;
}

/** What all charts have in common; `caption` becomes the line under the title. */
export function baseOptions(title: string, caption: string): ChartOptions {
  return {
    animation: false,
    responsive: false,
    devicePixelRatio: DENSITY,
    font: { family: FONT, size: 13 },
    color: INK,
    layout: { padding: { left: 12, right: 24, top: 8, bottom: 8 } },
    plugins: {
      title: {
        display: true,
        text: title,
        align: "start",
        color: INK,
        font: { family: FONT, size: 16, weight: "bold" },
        padding: { bottom: 4 },
      },
      subtitle: {
        display: true,
        text: caption,
        align: "start",
        color: FAINT,
        font: { family: FONT, size: 12 },
        padding: { bottom: 12 },
      },
      legend: {
        position: "bottom",
        align: "start",
        labels: {
          color: INK,
          font: { family: FONT, size: 12 },
          usePointStyle: true,
          boxWidth: 32,
          padding: 16,
        },
      },
    },
  };
}

/** An axis with its unit. */
export const axis = (text: string, more: Record<string, unknown> = {}) => ({
  title: { display: true, text, color: INK, font: { family: FONT, size: 12 } },
  ticks: { color: INK, font: { family: FONT, size: 12 } },
  grid: { color: RULE },
  border: { color: FAINT },
  ...more,
});

/** A vertical line with a word at its upper end. */
export interface Mark {
  readonly at: number;
  readonly text: string;
  readonly colour: string;
}

/** Draws marks on the x axis; words of neighbours go to different heights, and no line crosses them. */
export const marks = (of: readonly Mark[]): Plugin => ({
  id: "marks",
  afterDatasetsDraw({ ctx, chartArea, scales }) {
    const x = scales["x"];
    if (x === undefined) return;
    const { left, right, top, bottom } = chartArea;
    const seen = of
      .map((mark) => ({ ...mark, place: x.getPixelForValue(mark.at) }))
      .filter(({ place }) => place >= left - 1 && place <= right + 1);
    ctx.save();
    ctx.lineWidth = 1.5;
    ctx.font = `12px ${FONT}`;
    ctx.textAlign = "left";
    for (const { place, colour } of seen) {
      ctx.strokeStyle = colour;
      ctx.beginPath();
      ctx.moveTo(place, top);
      ctx.lineTo(place, bottom);
      ctx.stroke();
    }
    for (const [index, { place, text, colour }] of seen.entries()) {
      const { width } = ctx.measureText(text);
      const from = place + 6 + width < right ? place + 6 : place - 6 - width;
      const base = top + 14 + (index % 3) * 17;
      ctx.fillStyle = "rgba(255, 255, 255, 0.9)";
      ctx.fillRect(from - 2, base - 12, width + 4, 16);
      ctx.fillStyle = colour;
      ctx.fillText(text, from, base);
    }
    ctx.restore();
  },
});

/** Null where there is none to be told. */
export interface Extent {
  readonly low: number | null;
  readonly high: number | null;
}

/** Whiskers from low to high at the bars of each dataset, with white under them, to show on any fill. */
export const whiskers = (of: Extents): Plugin => ({
  id: "whiskers",
  afterDatasetsDraw(chart) {
    for (const [x, low, high] of whiskersOf(chart, of).flat()) {
      whisker(chart.ctx, { x, low, high, reach: 4, colour: "white", width: 4 });
      whisker(chart.ctx, { x, low, high, reach: 4, colour: INK, width: 1.5 });
    }
  },
});

/** The same at the points of lines, in their colours and behind their markers. */
export const whiskersBehind = (of: Extents, colours: readonly string[]): Plugin => ({
  id: "whiskers",
  beforeDatasetsDraw(chart) {
    for (const [index, ofLine] of whiskersOf(chart, of).entries()) {
      const colour = colours[index] ?? INK;
      for (const [x, low, high] of ofLine) {
        whisker(chart.ctx, { x, low, high, reach: 6, colour, width: 1.5 });
      }
    }
  },
});

type Extents = readonly (readonly (Extent | null)[])[];

/** In pixels, for each dataset; none where there is nothing between low and high. */
function whiskersOf(
  chart: Chart,
  of: Extents,
): readonly (readonly [x: number, low: number, high: number][])[] {
  const y = chart.scales["y"];
  return of.map((ofDataset, index) =>
    chart.getDatasetMeta(index).data.flatMap(({ x }, place) => {
      const extent = ofDataset[place];
      const { low = null, high = null } = extent ?? {};
      if (y === undefined || low === null || high === null || low === high) return [];
      return [[x, y.getPixelForValue(low), y.getPixelForValue(high)]];
    }),
  );
}

interface Whisker {
  readonly x: number;
  readonly low: number;
  readonly high: number;
  /** Of the strokes at its ends, to either side. */
  readonly reach: number;
  readonly colour: string;
  readonly width: number;
}

function whisker(ctx: Chart["ctx"], { x, low, high, reach, colour, width }: Whisker): void {
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(x, low);
  ctx.lineTo(x, high);
  for (const end of [low, high]) {
    ctx.moveTo(x - reach, end);
    ctx.lineTo(x + reach, end);
  }
  ctx.stroke();
  ctx.restore();
}

/** Stacked bars below one another, of what passed since the fault. */
export const sinceFaultOptions = (title: string, caption: string): ChartOptions => ({
  ...baseOptions(title, caption),
  indexAxis: "y",
  scales: {
    x: axis("time since the fault (ms)", { stacked: true, beginAtZero: true }),
    y: axis("", { stacked: true, title: { display: false }, grid: { display: false } }),
  },
});
