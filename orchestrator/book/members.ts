/** An election by itself as a record. */

import type { ElectionSummary } from "../measure/members/summary.ts";
import { type BookNumber, type BookRecord, originOf, questionFrom } from "./record.ts";

export function recordOfMembers(summary: ElectionSummary, what: string): BookRecord {
  const { disturbances, disagreement, messages, trial, verdict } = summary;
  const { seed, ...rest } = trial;
  const numbers: Record<string, BookNumber> = {};
  const add = (name: string, value: number | null, unit: string): void => {
    if (value === null) return;
    numbers[name] = { unit, better: "less", values: [{ of: String(seed), value, atLeast: false }] };
  };
  for (const { what: cause, agreedMs, latchedMs } of disturbances) {
    add(`agreed after ${cause}`, agreedMs, "ms");
    add(`latched after ${cause}`, latchedMs, "ms");
  }
  add("disagreement", disagreement.ms, "ms");
  add("false alarms", disagreement.falseAlarms, "");
  add("announcements", messages.sent, "");
  add("announcements in the first round", messages.firstRound, "");
  const wrong = verdict.findings.filter(({ judgement }) => judgement !== "valid");
  return {
    format: "polebench record 1",
    kind: "members",
    what,
    question: questionFrom("members", JSON.stringify(rest)),
    ...originOf(summary.environment),
    attempts: { made: 1, counted: verdict.judgement === "valid" ? 1 : 0 },
    validity: verdict.judgement,
    reasons: wrong.map(({ property, reasons }) => `${property}: ${reasons[0] ?? ""}`),
    numbers,
  };
}
