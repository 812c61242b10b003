/**
 * Thresholds between two arms of a comparison, on any number of their runs: `outage:latency/zookeeper<0.5`.
 * What the first is of the second is taken pair by pair; the whole interval of the median must keep to the
 * limit, so too few pairs neither pass nor fail.
 */

import type { ServiceSummary } from "../measure/summary.ts";
import { suggestion } from "../terminal/problem.ts";
import { type Middle, middleOf } from "../statistics/middle.ts";
import { numbersOfTrial } from "./trial.ts";

export interface Between {
  readonly text: string;
  /** As the book calls it. */
  readonly number: string;
  readonly arm: string;
  readonly other: string;
  readonly sign: "<" | ">";
  readonly limit: number;
}

export interface BetweenOutcome {
  readonly text: string;
  readonly judgement: "passed" | "failed" | "not told";
  readonly ratio: Middle | null;
}

/** The threshold, or what is wrong with the words. */
export function parseBetween(text: string, arms: readonly string[]): Between | string {
  const [, number = "", arm = "", other = "", sign, limit] =
    /^([\w. -]+):([^/<>]+)\/([^<>]+)([<>])([0-9.]+)$/.exec(text.trim()) ?? [];
  if (sign !== "<" && sign !== ">") return `"${text}" is none such as outage:latency/zookeeper<0.5`;
  for (const name of [arm, other])
    if (!arms.includes(name)) return `there is no arm "${name}"${suggestion(name, arms)}`;
  return { text, number, arm, other, sign, limit: Number(limit) };
}

export interface ArmRun {
  readonly arm: string;
  readonly repetition: number;
  readonly summary: ServiceSummary;
}

/** Only valid runs count, and of numbers only what is known. */
export function judgeBetween(between: Between, runs: readonly ArmRun[]): BetweenOutcome {
  const { text, sign, limit } = between;
  const of = (arm: string): ReadonlyMap<number, number> =>
    new Map(
      runs
        .filter((run) => run.arm === arm && run.summary.verdict.judgement === "valid")
        .flatMap(({ repetition, summary }) => {
          const [found] = numbersOfTrial(summary, "")[between.number]?.values ?? [];
          return found === undefined || found.atLeast ? [] : [[repetition, found.value] as const];
        }),
    );
  const others = of(between.other);
  const ratio = middleOf(
    [...of(between.arm)].flatMap(([repetition, value]) => {
      const beside = others.get(repetition);
      return beside === undefined || beside === 0 ? [] : [value / beside];
    }),
  );
  if (ratio === null || ratio.low === null || ratio.high === null)
    return { text, judgement: "not told", ratio };
  const { low, high } = ratio;
  if (sign === "<" ? high < limit : low > limit) return { text, judgement: "passed", ratio };
  const isOutside = sign === "<" ? low >= limit : high <= limit;
  return { text, judgement: isOutside ? "failed" : "not told", ratio };
}

/** A line for people. */
export function printBetween({ text, judgement, ratio }: BetweenOutcome): string {
  if (ratio === null) return `${text}: not told, there are no pairs`;
  const { middle, low, high, count } = ratio;
  const seen = `${middle.toFixed(3)} of ${count} pairs`;
  if (low === null || high === null) return `${text}: not told, ${seen} are too few for an interval`;
  return `${text}: ${judgement}, ${seen} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}
