/**
 * The shapes of jitter, as tables that both engines draw from, so that the same topology gives the same
 * delays on both.
 *
 * A table holds 4096 quantiles in units of the jitter's scale. Pareto and normal are computed as iproute2
 * computes the ones that netem ships (netem/pareto.c: a = 3, shifted by 1.5, stretched by 4/3, cut where a
 * signed 16-bit number ends, at 4 scales), with one difference: the mean is taken out, so that a jitter never
 * moves the mean delay. netem's own Pareto table has mean -0.0335 and sd 0.820.
 */

import type { Jitter } from "../../topology/topology.ts";

export const QUANTILES = 4096;

/** netem's tables count in units of 1/8192 of a scale. */
export const NETEM_UNIT = 8192;
const LARGEST = 32767;
const CUT = LARGEST / NETEM_UNIT;

export type Shape = Jitter["distribution"];

export interface Table {
  /** Ascending. */
  readonly quantiles: Float64Array;
  readonly sd: number;
}

const tables = new Map<Shape, Table>();

export function table(shape: Shape): Table {
  const known = tables.get(shape);
  if (known !== undefined) return known;
  const raw = Float64Array.from({ length: QUANTILES }, (_, index) => {
    const value = quantile[shape]((index + 0.5) / QUANTILES);
    return Math.max(-CUT, Math.min(CUT, value));
  });
  const mean = raw.reduce((sum, value) => sum + value, 0) / QUANTILES;
  const quantiles = raw.map((value) => value - mean);
  const sd = Math.sqrt(quantiles.reduce((sum, value) => sum + value * value, 0) / QUANTILES);
  const made = { quantiles, sd };
  tables.set(shape, made);
  return made;
}

const quantile: Readonly<Record<Shape, (u: number) => number>> = {
  pareto: (u) => ((1 - u) ** (-1 / 3) - 1.5) * (4 / 3),
  normal: normalQuantile,
  uniform: (u) => 2 * u - 1,
};

/** The table as `<name>.dist`, which tc reads from the folder that TC_LIB_DIR names. */
export function netemTable(shape: Shape): string {
  const numbers = Array.from(table(shape).quantiles, (value) =>
    Math.min(LARGEST, Math.round(value * NETEM_UNIT)),
  );
  const rows: string[] = [];
  for (let start = 0; start < numbers.length; start += 8)
    rows.push(numbers.slice(start, start + 8).join(" "));
  return `# ${shape}, mean 0, ${NETEM_UNIT} units a scale\n${rows.join("\n")}\n`;
}

/** The chance that a standard normal is below z (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
export function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return z > 0 ? 1 - tail : tail;
}

/** The inverse of `normalBelow`, by bisection: 4096 of them are made once. */
function normalQuantile(u: number): number {
  let [low, high] = [-9, 9];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalBelow(middle) < u) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
