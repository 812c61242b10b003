/**
 * The book of results: whatever was run, of whatever kind, is a record of one schema. It says what was asked,
 * which code and which machine answered, how many attempts that took, whether it counts, and the numbers,
 * each with the values that it was made of, so that two records can be held beside each other run by run.
 */

import { createHash } from "node:crypto";
import { z } from "zod";

export const KINDS = [
  "trial",
  "members",
  "comparison",
  "elections",
  "noise",
  "peers",
  "kills",
  "paper",
  "torture",
  "fuzz",
  "load",
  "bench",
  "plane",
  "recipe",
] as const;

const value = z.object({
  /** What runs are paired by: a seed, or a repetition. */
  of: z.string(),
  value: z.number(),
  /** It is known only to be at least that. */
  atLeast: z.boolean().default(false),
});

const numberSchema = z.object({
  unit: z.string(),
  /** Null where neither is. */
  better: z.enum(["less", "more"]).nullable(),
  values: z.array(value),
});

export const recordSchema = z.object({
  format: z.literal("polebench record 1"),
  kind: z.enum(KINDS),
  /** In words for people. */
  what: z.string(),
  /** Equal for what asks the same, whichever code answers, and with whichever seeds. */
  question: z.string(),
  command: z.string(),
  /** When it began, ISO 8601. */
  at: z.string(),
  sources: z.object({ commit: z.string(), sources: z.string(), version: z.string() }),
  /** Machine, kernel, engine and the like. */
  environment: z.record(z.string(), z.string()),
  attempts: z.object({ made: z.number(), counted: z.number() }),
  validity: z.enum(["valid", "unknown", "invalid"]),
  /** Why it does not count, where it does not. */
  reasons: z.array(z.string()),
  numbers: z.record(z.string(), numberSchema),
});

export type BookRecord = z.infer<typeof recordSchema>;
export type BookNumber = z.infer<typeof numberSchema>;

/** The record, or what is wrong with it. */
export function parseRecord(json: unknown): BookRecord | string {
  const parsed = recordSchema.safeParse(json);
  return parsed.success ? parsed.data : z.prettifyError(parsed.error);
}

/** A short name for what was asked. */
export const questionFrom = (...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 12);

/** What an environment says besides the code. */
export function originOf(environment: Readonly<Record<string, string>>) {
  const { command = "", startedAt = "", commit = "", sources = "", version = "", ...rest } = environment;
  return { command, at: startedAt, sources: { commit, sources, version }, environment: rest };
}

/** Records of one question and one code are one: runs with other seeds, or made on another day. */
export function merged(records: readonly BookRecord[]): readonly BookRecord[] {
  const groups = Map.groupBy(records, ({ question, sources }) => `${question} ${codeOf({ sources })}`);
  return [...groups.values()].flatMap((group) => {
    const counted = group.filter(({ validity }) => validity === "valid");
    const [first] = counted.length > 0 ? counted : group;
    if (first === undefined) return [];
    const sum = (of: (record: BookRecord) => number): number =>
      group.reduce((total, record) => total + of(record), 0);
    return [
      {
        ...first,
        attempts: {
          made: sum(({ attempts }) => attempts.made),
          counted: sum(({ attempts }) => attempts.counted),
        },
        numbers: numbersOf(counted),
      },
    ];
  });
}

/** Of one seed the last value counts, as its folder holds the last run. */
function numbersOf(records: readonly BookRecord[]): BookRecord["numbers"] {
  const numbers: Record<string, BookNumber> = {};
  for (const record of records) {
    for (const [name, number] of Object.entries(record.numbers)) {
      const before = numbers[name]?.values ?? [];
      const fresh = new Set(number.values.map(({ of }) => of));
      const values = [...before.filter(({ of }) => !fresh.has(of)), ...number.values];
      numbers[name] = { ...number, values };
    }
  }
  return numbers;
}

/** What decides how a run goes; the commit where a kind knows no digest. */
export const codeOf = ({ sources }: Pick<BookRecord, "sources">): string =>
  sources.sources === "" ? sources.commit : sources.sources;
