/** Runs that are set beside each other, and what is read off them. */

import { middleOf } from "../statistics/middle.ts";
import { mean } from "../statistics/summary.ts";
import type { BarValue } from "./chart/comparison-bars.ts";
import type { ServiceSummary } from "../measure/summary.ts";

export interface ComparedRun {
  readonly id: string;
  /** Where its own report is, seen from the comparison's. */
  readonly folder: string;
  readonly arm: string;
  readonly repetition: number;
  readonly summary: ServiceSummary;
}

/** One more attempt at a run, which is no result. */
export interface OtherAttempt {
  /** Of the run, and its own. */
  readonly id: string;
  readonly name: string;
  /** Seen from the comparison's. */
  readonly folder: string;
  readonly judgement: string;
  readonly reason: string;
}

/** The runs of one arm that count. */
export interface Group {
  readonly arm: string;
  readonly runs: readonly ComparedRun[];
}

export const meanAfterOf = ({ summary }: ComparedRun): number | null =>
  summary.latencyMs.overall.after?.mean ?? null;
export const outageOf = ({ summary }: ComparedRun): number | null => summary.outageMs?.overall ?? null;
export const p99AfterOf = ({ summary }: ComparedRun): number | null =>
  summary.latencyMs.overall.after?.p99 ?? null;

export const modelAfterOf = ({ summary }: ComparedRun): number | null =>
  summary.physics.after?.modelMs ?? null;

/** With its interval over the runs, and the mean of what the model says of each of them. */
export function valueOf(
  runs: readonly ComparedRun[],
  of: (run: ComparedRun) => number | null,
  modelOf: (run: ComparedRun) => number | null = () => null,
): BarValue | null {
  const found = middleOf(runs.map(of).filter((value) => value !== null));
  return found === null ? null : { ...found, model: meanModel(runs, modelOf) };
}

/** Each run has its own, because its leader may be another, and notices a fault in its own time. */
export function meanModel(
  runs: readonly ComparedRun[],
  modelOf: (run: ComparedRun) => number | null,
): number | null {
  const models = runs.map(modelOf).filter((ms) => ms !== null);
  return models.length === 0 ? null : mean(models);
}

/** What the model says of each leader that there was, best first. */
export function modelsByLeader(runs: readonly ComparedRun[]): readonly LedModel[] {
  const models = new Map(
    runs.flatMap(({ summary: { physics } }) =>
      physics.after === null ? [] : [[physics.after.leader, physics.after.modelMs] as const],
    ),
  );
  return [...models].map(([leader, modelMs]) => ({ leader, modelMs })).sort((a, b) => a.modelMs - b.modelMs);
}

export interface LedModel {
  readonly leader: number;
  readonly modelMs: number;
}

export function leadersOf(runs: readonly ComparedRun[]): string {
  const leaders = new Set(runs.map(({ summary }) => summary.leaders.after));
  return [...leaders]
    .map((leader) => (leader === null ? "nobody" : `p${leader}`))
    .sort()
    .join(", ");
}
