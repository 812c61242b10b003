/** What a file of distances says, whatever it looks like: round trips between named places, line by line. */

import type { Problem } from "../../terminal/problem.ts";

export interface MeasuredTrip {
  readonly from: string;
  readonly to: string;
  readonly rttMs: number;
  readonly line: number;
}

export interface Distances {
  readonly measured: readonly MeasuredTrip[];
  /** Named, whether or not anything was measured from there; in the order of the text. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
}

/** What a bare number means. */
export const UNITS = { us: 1e-3, ms: 1, s: 1e3 } as const;
export type Unit = keyof typeof UNITS;

export interface Told {
  /** What was said of bare numbers; null: nothing, and the format has its own. */
  readonly unit: Unit | null;
  /** Where it was measured, when the text itself does not say. */
  readonly from: string | null;
}

/** A way of writing distances down. */
export interface DistanceFormat {
  readonly name: string;
  readonly summary: string;
  /** Is the text written like that? */
  recognises(text: string): boolean;
  read(text: string, told: Told): Distances;
}

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const WORDS = "us|µs|μs|usec|microseconds?|ms|msec|milliseconds?|s|sec|seconds?";
const QUANTITY = new RegExp(`^(${NUMBER})\\s*(${WORDS})?$`, "i");

/** Milliseconds; null when the text is no duration at all. */
export function millisecondsOf(text: string, unit: Unit): number | null {
  const [, number = "", suffix = ""] = QUANTITY.exec(text.trim()) ?? [];
  if (number === "") return null;
  return Number(number) * (suffix === "" ? UNITS[unit] : UNITS[unitNamed(suffix.toLowerCase())]);
}

/** Of the names that tools give their columns and metrics. */
export function unitNamed(word: string): Unit {
  if (/^(?:us|µs|μs|usec|micro)/.test(word)) return "us";
  return word.startsWith("m") ? "ms" : "s";
}

/** Places that nobody looks for: cells that say that nothing was measured. */
export const isNothing = (cell: string): boolean =>
  /^(?:|-+|—|–|n\/?a|null|none|nan|\*|timeout)$/i.test(cell.trim());

/** The order in which they come, each once. */
export const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];

export const linesOf = (text: string): readonly string[] => text.replace(/^\uFEFF/, "").split(/\r?\n/);
