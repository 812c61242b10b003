/** Runs that are set beside each other, and what is read off them. */

import { bootstrap } from "../measure/interval.ts";
import type { BarValue } from "./chart/comparison-bars.ts";
import type { Summary } from "./summary.ts";

export interface ComparedRun {
  readonly id: string;
  /** Where its own report is, seen from the comparison's. */
  readonly folder: string;
  readonly arm: string;
  readonly repetition: number;
  readonly summary: Summary;
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

/** With its interval over the runs. */
export function valueOf(
  runs: readonly ComparedRun[],
  of: (run: ComparedRun) => number | null,
  model: number | null,
): BarValue | null {
  const interval = bootstrap(runs.map(of).filter((value) => value !== null));
  return interval === null ? null : { ...interval, model };
}

export const modelAfter = ([run]: readonly ComparedRun[]): number | null =>
  run?.summary.physics.after?.modelMs ?? null;

export function leadersOf(runs: readonly ComparedRun[]): string {
  const leaders = new Set(runs.map(({ summary }) => summary.leaders.after));
  return [...leaders]
    .map((leader) => (leader === null ? "nobody" : `p${leader}`))
    .sort()
    .join(", ");
}
