/** A trial of recipes as a record of the book: each number of each recipe under each trouble. */

import { numberOf, recordOfPlain } from "../book/plain.ts";
import type { BookNumber, BookRecord } from "../book/record.ts";
import type { RecipeSummary, Row } from "./summary.ts";

/** What is told of a trouble, in which unit; less is better of each. */
const TOLD = {
  sinceTrouble: "ms",
  sinceSessionEnd: "ms",
  nobodyMs: "ms",
  severalMs: "ms",
  notifications: "",
  lists: "",
  reads: "",
  writes: "",
} as const satisfies Partial<Record<keyof Row, string>>;

export function recordOfRecipes(summary: RecipeSummary, command: string): BookRecord {
  const { topology, system, members, strategy, watching, timeoutMs, takeoverMs, certificate, recipes } =
    summary;
  const numbers: Record<string, BookNumber> = {};
  for (const { recipe, troubles, writes } of recipes) {
    for (const row of troubles) {
      for (const [name, unit] of Object.entries(TOLD)) {
        const value = row[name as keyof typeof TOLD];
        if (value !== null) numbers[`${recipe}, ${row.trouble}: ${name}`] = numberOf(value, unit, "less");
      }
    }
    numbers[`${recipe}: fenced writes taken`] = numberOf(writes.taken, "", null);
    numbers[`${recipe}: fenced writes refused`] = numberOf(writes.refused, "", null);
  }
  const names = recipes.map(({ recipe }) => recipe);
  const asked = [topology, system, members, strategy, watching, timeoutMs, takeoverMs].map(String);
  return recordOfPlain({
    kind: "recipe",
    what: `${names.join(", ")} of ${members} members on ${topology}, ${system}`,
    command,
    asked: [
      ...asked,
      ...recipes.flatMap(({ recipe, troubles }) => [recipe, ...troubles.map(({ trouble }) => trouble)]),
    ],
    reasons: [...summary.wrong, ...(certificate === "valid" ? [] : ["the network is not the topology's"])],
    numbers,
  });
}
