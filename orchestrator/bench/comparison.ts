/**
 * Two systems, measured in turn, repetition by repetition: what was seen, the ratio of what was seen in the
 * same repetition, and how far apart repetitions were. A machine that is slower for an hour slows both, so
 * ratios are what to look at.
 */

import { METRICS, type MetricName, type Values, type Wanted } from "./metric.ts";
import { median } from "../statistics/summary.ts";
import { aligned } from "../terminal/table.ts";

/** One repetition: the values of every system that took part in it. */
export type Repetition = Readonly<Record<string, Values>>;

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Row {
  readonly metric: MetricName;
  readonly values: Readonly<Record<string, Spread>>;
  /** Ours to theirs; null unless both were measured. */
  readonly ratio: Spread | null;
  /** Null when nothing is wanted, or nothing can be told. */
  readonly reached: boolean | null;
}

export function compare(repetitions: readonly Repetition[], ours: string, theirs: string): Row[] {
  return (Object.keys(METRICS) as MetricName[]).flatMap((metric) => {
    const ofSystem = (system: string): number[] =>
      repetitions.flatMap((each) => each[system]?.[metric] ?? []);
    const values = Object.fromEntries(
      [ours, theirs].flatMap((system) => {
        const all = ofSystem(system);
        return all.length === 0 ? [] : [[system, spread(all)]];
      }),
    );
    if (Object.keys(values).length === 0) return [];
    const ratio = ratioOf(repetitions, metric, ours, theirs);
    const { wanted } = METRICS[metric];
    return [{ metric, values, ratio, reached: wanted && reached(wanted, ratio, values[ours]) }];
  });
}

function ratioOf(repetitions: readonly Repetition[], metric: MetricName, ours: string, theirs: string) {
  const ratios = repetitions.flatMap((each) => {
    const [a, b] = [each[ours]?.[metric] ?? [], each[theirs]?.[metric] ?? []];
    const [ownMedian, otherMedian] = [spread(a).median, spread(b).median];
    return a.length === 0 || b.length === 0 || otherMedian === 0 ? [] : [ownMedian / otherMedian];
  });
  return ratios.length === 0 ? null : spread(ratios);
}

function reached(wanted: Wanted, ratio: Spread | null, own: Spread | undefined): boolean | null {
  if ("below" in wanted) return own === undefined ? null : own.median < wanted.below;
  if (ratio === null) return null;
  return "atLeast" in wanted ? ratio.median >= wanted.atLeast : ratio.median <= wanted.atMost;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** As a table for people: median (least to most). */
export function printComparison(rows: readonly Row[], ours: string, theirs: string): string {
  const head = ["", theirs, ours, "ratio", "wanted"];
  const lines = rows.map(({ metric, values, ratio, reached: isReached }) => {
    const { title, unit, wanted, digits } = METRICS[metric];
    const of = (system: string): string => {
      const seen = values[system];
      return seen === undefined ? "" : printSpread(seen, digits, unit);
    };
    const goal = wanted === null ? "" : printWanted(wanted, unit);
    const verdict = isReached === null ? "" : isReached ? "  reached" : "  MISSED";
    return [title, of(theirs), of(ours), ratio === null ? "" : printSpread(ratio, 2, ""), goal + verdict];
  });
  return `${aligned([head, ...lines]).join("\n")}\n`;
}

function printWanted(wanted: Wanted, unit: string): string {
  if ("below" in wanted) return `< ${wanted.below} ${unit}`;
  return "atLeast" in wanted ? `>= ${wanted.atLeast}` : `<= ${wanted.atMost}`;
}

function printSpread({ median, least, most }: Spread, digits: number, unit: string): string {
  const print = (value: number): string => value.toFixed(digits);
  return `${print(median)} ${unit}`.trimEnd() + ` (${print(least)} to ${print(most)})`;
}
