/** Many runs as one record: each number of each arm, paired by repetition. */

import type { Provenance } from "../recording/provenance.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { type BookNumber, type BookRecord, originOf, questionFrom } from "./record.ts";
import { numbersOfTrial, questionOfTrial } from "./trial.ts";

export interface SeveralRuns {
  readonly kind: BookRecord["kind"];
  readonly what: string;
  readonly command: string;
  readonly runs: readonly {
    readonly arm: string;
    readonly repetition: number;
    readonly summary: ServiceSummary;
  }[];
  /** Attempts that are no result and were tried again. */
  readonly superseded: number;
}

/** Null when nothing ran. */
export function recordOfRuns({ kind, what, command, runs, superseded }: SeveralRuns): BookRecord | null {
  const [first] = runs;
  if (first === undefined) return null;
  const counted = runs.filter(({ summary }) => summary.verdict.judgement === "valid");
  const questions = [...new Set(runs.map(({ arm, summary }) => `${arm} ${questionOfTrial(summary)}`))];
  const numbers: Record<string, BookNumber> = {};
  for (const { arm, repetition, summary } of counted) {
    for (const [name, number] of Object.entries(numbersOfTrial(summary, String(repetition)))) {
      const own = `${arm}: ${name}`;
      numbers[own] = { ...number, values: [...(numbers[own]?.values ?? []), ...number.values] };
    }
  }
  const environment: Provenance = first.summary.environment;
  return {
    format: "polebench record 1",
    kind,
    what,
    question: questionFrom(kind, ...questions.sort()),
    ...originOf({ ...environment, command }),
    attempts: { made: runs.length + superseded, counted: counted.length },
    validity: counted.length === runs.length ? "valid" : counted.length > 0 ? "unknown" : "invalid",
    reasons: counted.length === runs.length ? [] : [`${runs.length - counted.length} runs do not count`],
    numbers,
  };
}
