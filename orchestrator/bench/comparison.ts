/**
 * Arms measured in turn, repetition by repetition: what was seen, the ratio of what was seen in the same
 * repetition, and how sure the repetitions make us of it. A machine that is slower for an hour slows all, so
 * ratios are what to look at.
 */

import { METRICS, type Metric, type MetricName, type Values, type Wanted } from "./metric.ts";
import { middleOf } from "../statistics/middle.ts";
import { median } from "../statistics/summary.ts";
import { aligned } from "../terminal/table.ts";

/** One repetition: the values of every arm that took part in it. */
export type Repetition = Readonly<Record<string, Values>>;

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Ratio extends Spread {
  /** 95 % of what more repetitions would make the median; null where there are not enough of them. */
  readonly low: number | null;
  readonly high: number | null;
}

export interface Row {
  readonly metric: MetricName;
  readonly values: Readonly<Record<string, Spread>>;
  /** Ours to each of the others that was measured in the same repetitions. */
  readonly ratios: Readonly<Record<string, Ratio>>;
  /** Of all that are other systems; null when nothing is wanted, or nothing can be told. */
  readonly reached: boolean | null;
}

/** The same system once more: what no difference looks like. */
export const AGAIN = "again";

export function compare(repetitions: readonly Repetition[], ours: string, others: readonly string[]): Row[] {
  return (Object.keys(METRICS) as MetricName[]).flatMap((metric) => {
    const ofArm = (arm: string): number[] => repetitions.flatMap((each) => each[arm]?.[metric] ?? []);
    const values = Object.fromEntries(
      [ours, ...others].flatMap((arm) => {
        const all = ofArm(arm);
        return all.length === 0 ? [] : [[arm, spread(all)]];
      }),
    );
    if (Object.keys(values).length === 0) return [];
    const ratios = Object.fromEntries(
      others.flatMap((other) => {
        const ratio = ratioOf(repetitions, metric, ours, other);
        return ratio === null ? [] : [[other, ratio]];
      }),
    );
    const { wanted }: Metric = METRICS[metric];
    const systems = Object.entries(ratios).flatMap(([arm, ratio]) => (arm.endsWith(AGAIN) ? [] : [ratio]));
    return [{ metric, values, ratios, reached: wanted && reached(wanted, systems, values[ours]) }];
  });
}

function ratioOf(
  repetitions: readonly Repetition[],
  metric: MetricName,
  ours: string,
  other: string,
): Ratio | null {
  const ratios = repetitions.flatMap((each) => {
    const [a, b] = [each[ours]?.[metric] ?? [], each[other]?.[metric] ?? []];
    const [ownMedian, otherMedian] = [spread(a).median, spread(b).median];
    return a.length === 0 || b.length === 0 || otherMedian === 0 ? [] : [ownMedian / otherMedian];
  });
  const found = middleOf(ratios);
  return found === null ? null : { ...spread(ratios), low: found.low, high: found.high };
}

function reached(wanted: Wanted, ratios: readonly Ratio[], own: Spread | undefined): boolean | null {
  if ("below" in wanted) return own === undefined ? null : own.median < wanted.below;
  if (ratios.length === 0) return null;
  return "atLeast" in wanted
    ? ratios.every((ratio) => ratio.median >= wanted.atLeast)
    : ratios.every((ratio) => ratio.median <= wanted.atMost);
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** As a table for people: median (least to most); of a ratio its interval in brackets, where there is one. */
export function printComparison(rows: readonly Row[], ours: string, others: readonly string[]): string {
  const head = ["", ours, ...others.flatMap((other) => [other, "ratio"]), "wanted"];
  const lines = rows.map(({ metric, values, ratios, reached: isReached }) => {
    const { title, unit, wanted, digits }: Metric = METRICS[metric];
    const of = (arm: string): string => {
      const seen = values[arm];
      return seen === undefined ? "" : printSpread(seen, digits, unit);
    };
    const goal = wanted === null ? "" : printWanted(wanted, unit);
    const verdict = isReached === null ? "" : isReached ? "  reached" : "  MISSED";
    const beside = others.flatMap((other) => [of(other), printRatio(ratios[other])]);
    return [title, of(ours), ...beside, goal + verdict];
  });
  return `${aligned([head, ...lines]).join("\n")}\n`;
}

function printWanted(wanted: Wanted, unit: string): string {
  if ("below" in wanted) return `< ${wanted.below} ${unit}`;
  return "atLeast" in wanted ? `>= ${wanted.atLeast}` : `<= ${wanted.atMost}`;
}

function printSpread({ median: middle, least, most }: Spread, digits: number, unit: string): string {
  const print = (value: number): string => value.toFixed(digits);
  return `${print(middle)} ${unit}`.trimEnd() + ` (${print(least)} to ${print(most)})`;
}

function printRatio(ratio: Ratio | undefined): string {
  if (ratio === undefined) return "";
  const { low, high } = ratio;
  if (low === null || high === null) return printSpread(ratio, 2, "");
  return `${ratio.median.toFixed(2)} [${low.toFixed(2)} to ${high.toFixed(2)}]`;
}
