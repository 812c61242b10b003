/**
 * Arms measured in turn, repetition by repetition: what was seen, the ratio of what was seen in the same
 * repetition, and how sure the repetitions make us of it. A machine that is slower for an hour slows all, so
 * ratios are what to look at.
 */

import type { Attempt } from "./attempt-file.ts";
import { betterBy, METRICS, type Metric, type MetricName, type Values, type Wanted } from "./metric.ts";
import { middleOf } from "../statistics/middle.ts";
import { median } from "../statistics/summary.ts";
import { aligned } from "../terminal/table.ts";

/** One repetition: the values of every arm that took part in it. */
export type Repetition = Readonly<Record<string, Values>>;

/** Of the attempts those that count. */
export function repetitionsOf(attempts: readonly Attempt[], count: number): readonly Repetition[] {
  const valid = attempts.filter(({ judgement }) => judgement === "valid");
  return Array.from({ length: count }, (_, index) => {
    const values: Record<string, Values> = {};
    for (const { repetition, arm, values: seen } of valid)
      if (repetition === index + 1) values[arm] = joined(values[arm] ?? {}, seen);
    return values;
  });
}

/** What two scenarios both measure is kept of both. */
function joined(a: Values, b: Values): Values {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])] as MetricName[];
  return Object.fromEntries(names.map((name) => [name, [...(a[name] ?? []), ...(b[name] ?? [])]]));
}

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
  /**
   * Of all that are other systems; null when nothing is wanted, or nothing can be told: as much as is wanted
   * came out, but of too few repetitions for an interval, or of one that does not exclude that both are
   * equal. To be no worse is told by the interval alone, within 5 %.
   */
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
  if (("atLeast" in wanted ? wanted.atLeast : wanted.atMost) === 1) return noWorse(wanted, ratios);
  const isMet = ratios.every(({ median: middle }) =>
    "atLeast" in wanted ? middle >= wanted.atLeast : middle <= wanted.atMost,
  );
  if (!isMet) return false;
  return ratios.every(({ low, high }) => excludesEqual(low, high)) ? true : null;
}

/** By intervals alone: all of it is no worse than as good less a margin, or all of it is worse. */
function noWorse(
  wanted: Exclude<Wanted, { readonly below: number }>,
  ratios: readonly Ratio[],
): boolean | null {
  const isMore = "atLeast" in wanted;
  const isWorse = ({ low, high }: Ratio): boolean =>
    isMore ? high !== null && high < 1 : low !== null && low > 1;
  const isAsGood = ({ low, high }: Ratio): boolean =>
    isMore ? low !== null && low >= 1 - MARGIN : high !== null && high <= 1 + MARGIN;
  if (ratios.some(isWorse)) return false;
  return ratios.every(isAsGood) ? true : null;
}

/** So much worse is as good. */
const MARGIN = 0.05;

const excludesEqual = (low: number | null, high: number | null): boolean =>
  low !== null && high !== null && (low > 1 || high < 1);

/**
 * Where another system is ahead of ours, as sentences; that it is so is told from intervals, or left open.
 */
export function behind(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ metric, ratios }) => {
    const { title, unit, better = betterBy(unit) }: Metric = METRICS[metric];
    return Object.entries(ratios).flatMap(([arm, { median: middle, low, high }]) => {
      const isBehind = better === "more" ? middle < 1 : middle > 1;
      if (arm.endsWith(AGAIN) || better === null || !isBehind) return [];
      if (low === null || high === null)
        return [`${title}: ${arm}; ours is ${middle.toFixed(2)} times that (too few repetitions to tell)`];
      if (!excludesEqual(low, high)) return [];
      const interval = `[${low.toFixed(2)} to ${high.toFixed(2)}]`;
      return [`${title}: ${arm}; ours is ${middle.toFixed(2)} ${interval} times that`];
    });
  });
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
    const verdict =
      wanted === null ? "" : isReached === null ? "  not told" : isReached ? "  reached" : "  MISSED";
    const beside = others.flatMap((other) => [of(other), printRatio(ratios[other])]);
    return [title, of(ours), ...beside, goal + verdict];
  });
  const ahead = behind(rows);
  const first =
    ahead.length === 0
      ? ["Nobody else is ahead of ours anywhere."]
      : ["Others are ahead of ours in:", ...ahead.map((one) => `  ${one}`)];
  return `${[...first, "", ...aligned([head, ...lines])].join("\n")}\n`;
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
