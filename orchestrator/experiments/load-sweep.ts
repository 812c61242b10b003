/** What the parts of Figure 7 share: the load moves from everywhere else to one data center, step by step. */

import type { OracleName } from "#node/oracle/catalog.ts";
import { prospects } from "../topology/model.ts";
import { middleOf } from "../statistics/middle.ts";
import { mean } from "../statistics/summary.ts";
import type { Figure } from "../report/chart/figure.ts";
import { sweepLines } from "../report/chart/sweep-lines.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { withLoad } from "../topology/topology.ts";
import {
  type ExperimentCell,
  type ExperimentRun,
  loaded,
  paperPlan,
  repeated,
  type Setting,
  siteMean,
  weightedMean,
} from "./experiment.ts";

export const SHARES = [0, 0.25, 0.5, 0.75, 1] as const;

export interface LoadSweep {
  readonly topology: string;
  readonly sites: readonly string[];
  /** The site that gets the share p; the others share the rest evenly. */
  readonly to: string;
  readonly oracles: readonly OracleName[];
}

export function weightsAt({ sites, to }: LoadSweep, p: number): Readonly<Record<string, number>> {
  return Object.fromEntries(sites.map((site) => [site, site === to ? p : (1 - p) / (sites.length - 1)]));
}

export const sweepCells = (sweep: LoadSweep, setting: Setting): readonly ExperimentCell[] =>
  sweep.oracles.flatMap((oracle) =>
    SHARES.flatMap((p) =>
      repeated(setting, (index) => ({
        id: `${sweep.topology}-${oracle}-${p}-${index + 1}`,
        series: `${sweep.topology} ${oracle}`,
        x: String(p),
        plan: paperPlan(loaded(sweep.topology, weightsAt(sweep, p)), oracle, setting, index),
      })),
    ),
  );

/** Of one run: the mean over all its writes, or the mean of the site that is worst off. */
export type Quantity = "mean" | "worst";

export function valueOf(
  summary: ServiceSummary,
  weights: Readonly<Record<string, number>>,
  quantity: Quantity,
): number {
  if (quantity === "mean") return weightedMean(summary, weights);
  return Math.max(...Object.keys(weights).map((site) => siteMean(summary, site) ?? Number.NaN));
}

export function runsAt(runs: readonly ExperimentRun[], sweep: LoadSweep, oracle: OracleName, p: number) {
  return runs.filter(({ series, x }) => series === `${sweep.topology} ${oracle}` && x === String(p));
}

export function sweepValue(
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  oracle: OracleName,
  p: number,
  quantity: Quantity,
): number {
  const weights = weightsAt(sweep, p);
  return mean(runsAt(runs, sweep, oracle, p).map(({ summary }) => valueOf(summary, weights, quantity)));
}

/** The best that any leader could offer. */
export function sweepBound(
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  p: number,
  quantity: Quantity,
): number | null {
  const [run] = runs.filter(({ plan }) => plan.topology.name === sweep.topology);
  return run === undefined ? null : Math.min(...offersAt(run, sweep, p, quantity).values());
}

/** What each server that lives could offer as leader. */
export function offersAt(
  { plan: { topology, subject } }: ExperimentRun,
  sweep: LoadSweep,
  p: number,
  quantity: Quantity,
): ReadonlyMap<number, number> {
  const weighted = withLoad(topology, new Map(Object.entries(weightsAt(sweep, p))));
  return new Map(
    prospects(weighted, [subject.firstLeader]).map(({ leader, meanMs, sites }) => [
      leader,
      quantity === "mean" ? meanMs : Math.max(...sites.values()),
    ]),
  );
}

export function sweepFigure(
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  quantity: Quantity,
  of: { readonly name: string; readonly title: string; readonly caption: string },
): Figure {
  const who = quantity === "mean" ? "mean latency" : "mean latency of the site that is worst off";
  return sweepLines({
    ...of,
    xAxis: `p: share of the load at ${sweep.to}`,
    yAxis: `${who} (ms)`,
    xs: SHARES,
    lines: sweep.oracles.map((oracle) => ({
      label: oracle,
      points: SHARES.map((p) =>
        middleOf(
          runsAt(runs, sweep, oracle, p).map(({ summary }) =>
            valueOf(summary, weightsAt(sweep, p), quantity),
          ),
        ),
      ),
    })),
    bound: {
      label: "what physics allows the best leader",
      values: SHARES.map((p) => sweepBound(runs, sweep, p, quantity)),
    },
  });
}
