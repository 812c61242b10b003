/** Carries a plan out, wherever it says. */

import type { ElectionRecording, ServiceRecording } from "../recording/recording.ts";
import { type LiveOptions, runLive } from "./live/trial.ts";
import { simulateElectionUntil } from "./virtual/members.ts";
import { simulateUntil } from "./virtual/trial.ts";
import { oracleOf } from "../plan/oracle-plan.ts";
import type { ElectionPlan, ServicePlan } from "../plan/plan.ts";
import { CannotRun } from "../terminal/exit-code.ts";

/** Rejects with `Interrupted` when `signal` came before the load. */
export async function runTrial(plan: ServicePlan, options: LiveOptions): Promise<ServiceRecording> {
  const oracle = await oracleOf(plan.subject.oracle);
  if (plan.runtime !== "sim") return runLive(plan, options);
  options.progress?.("virtual time");
  return simulateUntil(plan, options.signal, { command: options.command, oracle });
}

export async function runElection(plan: ElectionPlan, options: LiveOptions): Promise<ElectionRecording> {
  if (plan.runtime !== "sim") throw new CannotRun("members run in virtual time only: take RUNTIME=sim");
  options.progress?.("virtual time");
  return simulateElectionUntil(plan, options.signal, { command: options.command });
}
