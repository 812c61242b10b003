/**
 * How charts look: colours that everyone can tell apart (Okabe and Ito 2008), each with a dash and a marker
 * of its own, so that a print in black and white loses nothing.
 */

import type { PointStyle } from "chart.js";
import type { Statistic, Statistics } from "../../statistics/summary.ts";

export interface Look {
  readonly colour: string;
  readonly dash: readonly number[];
  readonly point: PointStyle;
}

/** In this order; the same thing has the same look in all charts of a report. */
const LOOKS: readonly Look[] = [
  { colour: "#0072B2", dash: [], point: "circle" },
  { colour: "#D55E00", dash: [7, 4], point: "rect" },
  { colour: "#009E73", dash: [2, 3], point: "triangle" },
  { colour: "#CC79A7", dash: [9, 3, 2, 3], point: "rectRot" },
  { colour: "#E69F00", dash: [14, 5], point: "star" },
  { colour: "#56B4E9", dash: [4, 2, 1, 2], point: "crossRot" },
  { colour: "#000000", dash: [1, 5], point: "cross" },
];

export const LOOK_COUNT = LOOKS.length;
export const look = (index: number): Look => LOOKS[index % LOOKS.length] ?? (LOOKS[0] as Look);

export const INK = "#1f2328";
export const FAINT = "#6e7681";
export const RULE = "#e3e6ea";
export const FAULT_COLOUR = "#b3001b";
export const FONT = "DejaVu Sans";

/**
 * For stages that follow one another, dark to light in even steps, also in grey and for every eye: the lower
 * six sevenths of cividis (Nunez, Anderton and Renslow 2018).
 */
export const SHADES: readonly string[] = ["#00224e", "#2e4062", "#585f70", "#7f7e78", "#aaa172", "#d6c659"];

/** As short as it can be without lying: 9.88, 31.1, 129, 1,240. */
export function printNumber(value: number): string {
  if (!Number.isFinite(value)) return "none";
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");
}

/** Nothing of nothing. */
export function printBound(of: Statistics | null | undefined, name: Statistic, digits: number): string {
  if (of === null || of === undefined) return "";
  return `${of.atLeast.includes(name) ? "at least " : ""}${of[name].toFixed(digits)}`;
}

export const printMs = (value: number | null | undefined): string =>
  value === null || value === undefined ? "none" : `${printNumber(value)} ms`;
