/** Carries a plan out, wherever it says. */

import type { ElectionRecording, ServiceRecording } from "../recording/recording.ts";
import { type LiveOptions, runLive } from "./live/trial.ts";
import { everyOf } from "./live/lives.ts";
import { runElectionLive, runElectionSeries } from "./live/members.ts";
import { simulateElectionUntil } from "./virtual/members.ts";
import { simulateUntil } from "./virtual/trial.ts";
import { oracleOf } from "../plan/oracle-plan.ts";
import type { ElectionPlan, ServicePlan } from "../plan/plan.ts";

/** Rejects with `Interrupted` when `signal` came before the load. */
export async function runTrial(plan: ServicePlan, options: LiveOptions): Promise<ServiceRecording> {
  const oracle = await oracleOf(plan.subject.oracle);
  if (plan.runtime !== "sim") return runLive(plan, options);
  options.progress?.("virtual time");
  return simulateUntil(plan, options.signal, {
    command: options.command,
    oracle,
    observer: options.observer ?? null,
  });
}

export async function runElection(plan: ElectionPlan, options: LiveOptions): Promise<ElectionRecording> {
  if (plan.runtime !== "sim") return runElectionLive(plan, options);
  options.progress?.("virtual time");
  return simulateElectionUntil(plan, options.signal, { command: options.command });
}

/** Runs in which nothing is done to anybody share one testbed, and are over together. */
export const areTogether = ({ runtime, faults }: ElectionPlan, runs: number): boolean =>
  runtime !== "sim" && faults.length === 0 && runs > 1;

/** For so long each is under way; with its report, and a thousand members in virtual time take longer. */
export const secondsOfElection = (plan: ElectionPlan): number =>
  plan.runtime === "sim" ? 1 : everyOf(plan.duration) / 1e6;

/** So many runs with a seed each. Live, where nothing is done to anybody, all of them on one testbed. */
export async function* runElections(
  plan: ElectionPlan,
  options: LiveOptions,
  runs: number,
): AsyncGenerator<ElectionRecording> {
  if (areTogether(plan, runs)) {
    yield* await runElectionSeries(plan, options, runs);
    return;
  }
  for (let run = 0; run < runs && !options.signal.aborted; run++)
    yield await runElection({ ...plan, seed: plan.seed + run }, options);
}
