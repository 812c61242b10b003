/**
 * An experiment of the POLE paper: its claim, the trials that put it to the test, and the charts that show
 * how it came out.
 *
 * Each stands in a file of its own and is a value. The trials are plans like any other, so they run wherever
 * plans run.
 */

import type { ServerId } from "#node/core/identity.ts";
import { type Duration, seconds } from "#node/core/time.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import type { Figure } from "../report/chart/figure.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { loadTopology, type Topology, withLoad } from "../topology/topology.ts";
import { planTrial } from "../plan/flags.ts";
import { type Phases, type Runtime, type ServicePlan, withService } from "../plan/plan.ts";

export interface Experiment {
  /** As `make paper FIG=` takes it. */
  readonly figure: string;
  readonly section: string;
  /** What the paper says. */
  readonly claim: string;
  cells(setting: Setting): readonly ExperimentCell[];
  /** What the paper has and this setting leaves out, each with the reason. */
  omits?(setting: Setting): readonly string[];
  result(runs: readonly ExperimentRun[], conditions: string): ExperimentResult;
}

/** How thoroughly, and where. */
export interface Setting {
  readonly runtime: Runtime;
  readonly quick: boolean;
  readonly repetitions: number;
  readonly seed: number;
  /** Sizes of the state, where an experiment varies them; empty: its own. */
  readonly megabytes: readonly number[];
}

export interface ExperimentCell {
  readonly id: string;
  /** Which line or bar it belongs to, and where on the x axis. */
  readonly series: string;
  readonly x: string;
  readonly plan: ServicePlan;
}

export interface ExperimentRun extends ExperimentCell {
  readonly summary: ServiceSummary;
}

export interface ExperimentResult {
  readonly figures: readonly Figure[];
  /** What the paper measured, what physics allows, and what was measured here, line by line. */
  readonly comparison: readonly Comparison[];
  /** Does the claim hold here? Each part that was checked. */
  readonly checks: readonly Check[];
}

export interface Comparison {
  readonly what: string;
  readonly paper: string;
  readonly physics: string;
  readonly here: string;
}

export interface Check {
  readonly what: string;
  readonly holds: boolean;
}

/** The paper's run, shorter where the whole is not needed; the network is always whole. */
export function paperPlan(
  topology: Topology,
  oracle: OracleName,
  setting: Setting,
  index: number,
): ServicePlan {
  const plan = planTrial({ topology: topology.name }, setting.runtime);
  const { killAt, ...phases } = phasesOf(setting, plan.phases);
  return {
    ...plan,
    topology,
    phases,
    subject: { ...plan.subject, oracle: { name: oracle, preference: [], module: null } },
    faults: [{ at: killAt, fault: { kind: "crash", target: { kind: "leader" } } }],
    seed: setting.seed + index,
  };
}

/** A run in which the given server leads after the fault. */
export const ledBy = (plan: ServicePlan, leader: ServerId): ServicePlan =>
  withService(plan, { oracle: { name: "preference", preference: [leader], module: null } });

/** The service gets so much more time after the fault before its latency counts; the load lasts longer. */
export const settlingLonger = (plan: ServicePlan, span: Duration): ServicePlan => ({
  ...plan,
  phases: {
    ...plan.phases,
    settle: (plan.phases.settle + span) as Duration,
    duration: (plan.phases.duration + span) as Duration,
  },
});

/**
 * The load of each site as weights. A site without load still gets a hundredth: the latency of a client there
 * is part of the worst case, and can only be measured with a client.
 */
export function loaded(name: string, weights: Readonly<Record<string, number>>): Topology {
  const topology = loadTopology(name);
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  const probed = Object.entries(weights).map(([site, weight]): [string, number] => [
    site,
    Math.max(weight / total, PROBE_SHARE),
  ]);
  return withLoad(topology, new Map(probed));
}

/** The mean over all writes as the weights would have it, without the probes and without chance. */
export function weightedMean(summary: ServiceSummary, weights: Readonly<Record<string, number>>): number {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return Object.entries(weights).reduce(
    (sum, [site, weight]) => sum + (weight / total) * (siteMean(summary, site) ?? Number.NaN),
    0,
  );
}

export const siteMean = (
  summary: ServiceSummary,
  site: string,
  phase: "before" | "after" = "after",
): number | null => summary.latencyMs.sites[site]?.[phase]?.mean ?? null;

/** The paper repeats each point five times. */
export const repeated = <T>(setting: Setting, of: (index: number) => T): readonly T[] =>
  Array.from({ length: setting.repetitions }, (_, index) => of(index));

interface PaperPhases extends Phases {
  readonly killAt: Duration;
}

function phasesOf({ quick, runtime }: Setting, whole: Phases): PaperPhases {
  if (!quick) return { ...whole, killAt: seconds(whole.duration / 2e6) };
  return { ...(runtime === "sim" ? SIMULATED_QUICK : LIVE_QUICK), settle: seconds(1.5), drain: seconds(2) };
}

/** Of a mean: what machines may add on the way of a write, and what chance makes of jitter and load. */
export const ACCURACY = { ms: 1.5, share: 0.02 } as const;

/** Virtual time has no warm-up to speak of, and no noise but that of the load. */
const SIMULATED_QUICK = { duration: seconds(6), warmUp: seconds(1), killAt: seconds(3) };
/**
 * 119 runs in 45 minutes, of which a run spends 8 s on its network, its ensemble and its end. For 4 s five
 * servers and their clients compile what they run.
 */
const LIVE_QUICK = { duration: seconds(12), warmUp: seconds(4), killAt: seconds(7) };
const PROBE_SHARE = 0.01;
