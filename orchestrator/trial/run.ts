/** Carries a plan out, wherever it says. */

import { assert } from "#node/core/assert.ts";
import type { Recording } from "../recording/recording.ts";
import { simulate } from "../testbed/simulated.ts";
import { CannotRun } from "./exit-code.ts";
import type { TrialPlan } from "./plan.ts";

export function runTrial(plan: TrialPlan, command: string): Promise<Recording> {
  if (plan.runtime !== "sim") {
    throw new CannotRun(`runtime ${plan.runtime} is not there yet: take RUNTIME=sim`);
  }
  assert(plan.system === "polebench", "only this project's replica runs in virtual time");
  return Promise.resolve(simulate(plan, command));
}
