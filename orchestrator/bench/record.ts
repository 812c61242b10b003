/** A bench as a record of the book: each metric of each arm, paired by repetition. */

import { recordOfPlain } from "../book/plain.ts";
import type { BookNumber, BookRecord } from "../book/record.ts";
import type { Attempt } from "./attempt-file.ts";
import { repetitionsOf } from "./comparison.ts";
import { betterBy, METRICS, type Metric, type MetricName } from "./metric.ts";

export interface BenchTerms {
  readonly command: string;
  /** What decides the numbers besides the code. */
  readonly asked: readonly string[];
  readonly arms: readonly string[];
  readonly repetitions: number;
}

/** `absent`: what was asked for and has no result, a sentence each. */
export function recordOfBench(
  attempts: readonly Attempt[],
  { command, asked, arms, repetitions }: BenchTerms,
  absent: readonly string[],
): BookRecord {
  const numbers: Record<string, BookNumber> = {};
  for (const [index, repetition] of repetitionsOf(attempts, repetitions).entries()) {
    for (const [arm, values] of Object.entries(repetition)) {
      for (const [metric, seen] of Object.entries(values)) {
        const { unit, better = betterBy(unit) }: Metric = METRICS[metric as MetricName];
        const own = `${arm}: ${metric}`;
        const more = seen.map((value, nth) => ({
          of: nth === 0 ? String(index + 1) : `${index + 1}.${nth + 1}`,
          value,
          atLeast: false,
        }));
        numbers[own] = { unit, better, values: [...(numbers[own]?.values ?? []), ...more] };
      }
    }
  }
  const what = arms.join(", ");
  const record = recordOfPlain({ kind: "bench", what, command, asked, reasons: absent, numbers });
  const counted = attempts.filter(({ judgement }) => judgement === "valid").length;
  // What is there counts, though something is missing.
  const validity = absent.length === 0 ? "valid" : counted > 0 ? "unknown" : "invalid";
  return { ...record, attempts: { made: attempts.length, counted }, validity };
}
