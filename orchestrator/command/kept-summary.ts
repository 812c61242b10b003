/** What an earlier call finished need not be done again, when it was this very plan and is a result. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSummary, type Summary } from "../report/summary.ts";
import type { TrialPlan } from "../trial/plan.ts";
import { printPlan } from "../trial/plan-text.ts";

export function keptSummary(folder: string, plan: TrialPlan): Summary | null {
  const file = join(folder, "summary.json");
  if (!existsSync(file)) return null;
  const summary = parseSummary(readFileSync(file, "utf8"));
  if (typeof summary === "string" || summary.verdict.judgement !== "valid") return null;
  const planned = JSON.stringify(JSON.parse(printPlan(plan)));
  return JSON.stringify(summary.trial) === planned ? summary : null;
}
