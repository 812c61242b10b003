/**
 * A run of an election by itself in one small file, for programs: its `summary.json`.
 *
 * Run as a program it publishes the schema as reports/election-summary.schema.json.
 */

import { writeFileSync } from "node:fs";
import { z } from "zod";
import { printPlan } from "../../plan/plan-text.ts";
import type { ElectionConclusion } from "../conclude.ts";
import { judged, made } from "../summary-parts.ts";

const FORMAT = "polebench election summary 1";

const milliseconds = z.number();

export const electionSummarySchema = z.object({
  format: z.literal(FORMAT),
  ...judged,
  /** The beginning first, then every fault. */
  disturbances: z.array(
    z.object({
      atMs: milliseconds,
      what: z.string(),
      /** Until all that live follow one that lives; null when that never came before the next. */
      agreedMs: milliseconds.nullable(),
      leader: z.number().nullable(),
      /** Until the last had heard the greatest; null as above, or when nobody in particular is promised. */
      latchedMs: milliseconds.nullable(),
    }),
  ),
  disagreement: z.object({
    ms: milliseconds,
    /** Of the whole run. */
    share: z.number(),
    /** Agreements that ended though nothing had been done to anybody. */
    falseAlarms: z.number(),
  }),
  /** Announcements, one however many hear it. */
  messages: z.object({
    sent: z.number(),
    perSecond: z.number(),
    /** Until those that began together had spoken or been silenced (T_S). */
    firstRound: z.number(),
    untilLatched: z.number().nullable(),
    kinds: z.record(z.string(), z.number()),
    /** What reached a listener, by kind. */
    given: z.record(z.string(), z.number()),
    /** Live: packets that the emulated network delivered, and how many over 1 and 2 ms late. */
    carried: z
      .object({ packets: z.number(), late: z.number(), veryLate: z.number().optional() })
      .nullable()
      .default(null),
  }),
  /** In the end; null when they differ. */
  leader: z.number().nullable(),
  /** How many live in the end. */
  living: z.number(),
  ...made,
});

export type ElectionSummary = z.infer<typeof electionSummarySchema>;

export function summariseElection(conclusion: Omit<ElectionConclusion, "summary">): ElectionSummary {
  const { recording, measures, verdict } = conclusion;
  const { disturbances, disagreement, messages, end } = measures;
  return {
    format: FORMAT,
    verdict: {
      judgement: verdict.judgement,
      findings: verdict.findings.map((finding) => ({ ...finding, reasons: [...finding.reasons] })),
    },
    interrupted: recording.interrupted,
    thresholds: [...conclusion.thresholds],
    expectations: [...conclusion.expectations],
    disturbances: disturbances.map((one) => ({ ...one })),
    disagreement: { ...disagreement },
    messages: {
      ...messages,
      kinds: { ...messages.kinds },
      given: { ...recording.counts.given },
      carried: recording.counts.carried,
    },
    leader: end.agreed,
    living: end.leaders.size,
    resources: [...recording.resources],
    machine: recording.machine,
    environment: { ...recording.environment },
    trial: JSON.parse(printPlan(recording.plan)) as Record<string, unknown>,
  };
}

export function publishedElectionSchema(): string {
  const schema = { ...z.toJSONSchema(electionSummarySchema), title: "The summary of an election by itself" };
  return `${JSON.stringify(schema, null, 1)}\n`;
}

if (import.meta.main) {
  const file = new URL("../../../reports/election-summary.schema.json", import.meta.url);
  writeFileSync(file, publishedElectionSchema());
}
