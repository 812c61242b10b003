/**
 * What an earlier call finished need not be done again, when it was this very plan, carried out by this very
 * code, and is a result. What other code made is made again: side by side, the two would say nothing.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sourcesAsLoaded } from "../recording/sources.ts";
import { judged } from "../measure/summary-parts.ts";
import { parseSummary, type ServiceSummary } from "../measure/summary.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { parsePlan, printPlan } from "../plan/plan-text.ts";

export type Kept =
  | { readonly kind: "kept"; readonly summary: ServiceSummary }
  | { readonly kind: "other code" }
  | { readonly kind: "nothing" };

export function keptSummary(folder: string, plan: ServicePlan): Kept {
  const summary = summaryOf(folder, plan);
  if (summary?.verdict.judgement !== "valid") return { kind: "nothing" };
  const isSame = summary.environment["sources"] === sourcesAsLoaded(plan.subject.oracle.module);
  return isSame ? { kind: "kept", summary } : { kind: "other code" };
}

/** Of this very plan, whoever made it and however it ended. */
export function summaryOf(folder: string, plan: ServicePlan): ServiceSummary | null {
  const file = join(folder, "summary.json");
  const summary = existsSync(file) ? parseSummary(readFileSync(file, "utf8")) : "";
  if (typeof summary === "string") return null;
  const kept = parsePlan(JSON.stringify(summary.trial));
  return typeof kept !== "string" && printPlan(kept) === printPlan(plan) ? summary : null;
}

/** What the run was asked to meet stands in its summary; one that cannot be read asks nothing. */
export function thresholdsBefore(folder: string): readonly string[] {
  const file = join(folder, "summary.json");
  if (!existsSync(file)) return [];
  try {
    const { thresholds } = before.parse(JSON.parse(readFileSync(file, "utf8")));
    return thresholds.map(({ text }) => text);
  } catch {
    return [];
  }
}

const before = z.object({ thresholds: judged.thresholds });
