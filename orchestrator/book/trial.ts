/** A trial of a service as a record: every number of its summary by name. */

import { createHash } from "node:crypto";
import type { ServiceSummary } from "../measure/summary.ts";
import { reasonAgainst } from "../measure/reason-against.ts";
import { type BookNumber, type BookRecord, originOf, questionFrom } from "./record.ts";

type Numbers = Record<string, BookNumber>;

export function recordOfTrial(summary: ServiceSummary, superseded = 0): BookRecord {
  const { verdict } = summary;
  const isValid = verdict.judgement === "valid";
  const reason = reasonAgainst(summary);
  return {
    format: "polebench record 1",
    kind: "trial",
    what: whatOf(summary),
    question: questionOfTrial(summary),
    ...originOf(summary.environment),
    attempts: { made: superseded + 1, counted: isValid ? 1 : 0 },
    validity: verdict.judgement,
    reasons: reason === "" ? [] : [reason],
    numbers: numbersOfTrial(summary, String(summary.trial["seed"])),
  };
}

/** The plan without its seed. */
export function questionOfTrial({ trial }: ServiceSummary): string {
  const { seed: _, ...rest } = trial;
  return questionFrom(createHash("sha256").update(JSON.stringify(rest)).digest("hex"));
}

/** Enough to tell questions apart; the whole plan is in the run's folder. */
function whatOf({ trial, leaders }: ServiceSummary): string {
  const named = (value: unknown): string =>
    typeof value === "string" ? value : ((value as { name?: string } | null)?.name ?? "");
  const parts = ["topology", "system", "election", "oracle", "runtime"].map((field) =>
    named(trial[field] ?? (trial["subject"] as Record<string, unknown> | undefined)?.[field]),
  );
  return `${parts.filter((part) => part !== "").join(", ")}, p${leaders.before ?? "?"} led first`;
}

/** `of`: what its values are paired by. */
export function numbersOfTrial(summary: ServiceSummary, of: string): Numbers {
  const { latencyMs, outageMs, silence, stallMs, outcomes, recovery, physics, traffic, resources } = summary;
  const numbers: Numbers = {};
  const add = (
    name: string,
    value: number | null | undefined,
    unit: string,
    better: BookNumber["better"] = "less",
    atLeast = false,
  ): void => {
    if (typeof value === "number" && Number.isFinite(value))
      numbers[name] = { unit, better, values: [{ of, value, atLeast }] };
  };
  for (const phase of ["before", "during", "after"] as const) {
    for (const [where, found] of [
      ["", latencyMs.overall[phase]] as const,
      ...Object.entries(latencyMs.sites).map(([site, byPhase]) => [`.${site}`, byPhase[phase]] as const),
    ]) {
      for (const name of ["mean", "p50", "p95", "p99", "max"] as const)
        add(`${name}.${phase}${where}`, found?.[name], "ms", "less", found?.atLeast.includes(name) ?? false);
    }
  }
  const all = outcomes.ok + outcomes.failed + outcomes.unknown;
  add("loss", all === 0 ? null : (100 * (outcomes.failed + outcomes.unknown)) / all, "%");
  add("acknowledged", outcomes.ok, "", "more");
  add("outage", outageMs?.overall, "ms");
  for (const [site, ms] of Object.entries(outageMs?.sites ?? {})) add(`outage.${site}`, ms, "ms");
  add("silence", silence?.ms, "ms", "less", silence?.atLeast ?? false);
  add("stall", stallMs, "ms");
  add("detection", recovery?.detectionMs, "ms");
  for (const [stage, ms] of Object.entries(recovery?.stagesMs ?? {})) add(`stage.${stage}`, ms, "ms");
  add("above physics.before", physics.before?.aboveMs, "ms");
  add("above physics.after", physics.after?.aboveMs, "ms");
  for (const { of: what, perSecond, all: volume } of traffic) {
    add(`messages.${what}`, volume.messages, perSecond ? "/s" : "");
    add(`bytes.${what}`, volume.bytes, perSecond ? "B/s" : "B");
  }
  for (const { who, cpuSeconds } of resources) add(`processor.${who}`, cpuSeconds, "s");
  return numbers;
}
