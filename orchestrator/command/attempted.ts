/**
 * Carries out a plan in a folder where it may have been tried before: what is no result there is set aside
 * and stays, and so does what breaks on the way.
 */

import { existsSync } from "node:fs";
import { EXIT } from "#node/core/exit-code.ts";
import { questionOf, forgetOthers, setAside } from "../recording/attempts.ts";
import { sourcesAsLoaded } from "../recording/sources.ts";
import { reasonAgainst } from "../measure/reason-against.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { summaryOf } from "./kept-summary.ts";

export async function attempted<T>(
  folder: string,
  plan: ServicePlan,
  carryOut: () => Promise<T>,
): Promise<T> {
  if (existsSync(folder)) makeRoom(folder, plan);
  try {
    return await carryOut();
  } catch (error) {
    if (!isRefusal(error))
      setAside(folder, { judgement: "broken", reason: reasonOf(error), of: questionOf(plan) });
    throw error;
  }
}

function makeRoom(folder: string, plan: ServicePlan): void {
  const of = questionOf(plan);
  forgetOthers(folder, of);
  const before = summaryOf(folder, plan);
  if (before === null || before.environment["sources"] !== sourcesAsLoaded(plan.subject.oracle.module))
    return;
  const { judgement } = before.verdict;
  if (judgement !== "valid") setAside(folder, { judgement, reason: reasonAgainst(before), of });
}

/** Nothing was tried: the words were wrong, this machine cannot, or somebody stopped it before. */
function isRefusal(error: unknown): boolean {
  const code: unknown = error instanceof Error && "exitCode" in error ? error.exitCode : null;
  return code === EXIT.usage || code === EXIT.cannotRun || code === EXIT.interrupted;
}

/** In a line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
