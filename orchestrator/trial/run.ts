/** Carries a plan out, wherever it says. */

import { assert } from "#node/core/assert.ts";
import type { Recording } from "../recording/recording.ts";
import { runLive } from "../testbed/live.ts";
import { simulate } from "../testbed/simulated.ts";
import { EXIT } from "./exit-code.ts";
import type { TrialPlan } from "./plan.ts";

/** Ctrl-C ends a live trial early, a second one at once; `progress` is told what is going on. */
export async function runTrial(
  plan: TrialPlan,
  command: string,
  progress: (phase: string) => void = () => {},
): Promise<Recording> {
  if (plan.runtime === "sim") {
    assert(plan.system === "polebench", "only this project's replica runs in virtual time");
    return simulate(plan, command);
  }
  const interruption = new AbortController();
  const interrupt = (): void => {
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    interruption.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  try {
    return await runLive(plan, { command, progress, signal: interruption.signal });
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}
