/** Carries a plan out, wherever it says. */

import type { ElectionRecording, ServiceRecording } from "../recording/recording.ts";
import { type LiveOptions, runLive } from "./live/trial.ts";
import { runElectionLive } from "./live/members.ts";
import { simulateElectionUntil } from "./virtual/members.ts";
import { simulateUntil } from "./virtual/trial.ts";
import { oracleOf } from "../plan/oracle-plan.ts";
import type { ElectionPlan, ServicePlan } from "../plan/plan.ts";

/** Rejects with `Interrupted` when `signal` came before the load. */
export async function runTrial(plan: ServicePlan, options: LiveOptions): Promise<ServiceRecording> {
  const oracle = await oracleOf(plan.subject.oracle);
  if (plan.runtime !== "sim") return runLive(plan, options);
  options.progress?.("virtual time");
  return simulateUntil(plan, options.signal, { command: options.command, oracle });
}

export async function runElection(plan: ElectionPlan, options: LiveOptions): Promise<ElectionRecording> {
  if (plan.runtime !== "sim") return runElectionLive(plan, options);
  options.progress?.("virtual time");
  return simulateElectionUntil(plan, options.signal, { command: options.command });
}
