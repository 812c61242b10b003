/**
 * What an election tells of itself, in its own words: a name, and fields as JSON has them.
 *
 * Nobody outside of an election need know its words. One is shared, because every election whose servers
 * stand with a score has it and reports compare them by it: `candidate`.
 */

import type { Round, Score } from "../core/score.ts";

export type Fact = null | boolean | number | string | readonly Fact[] | { readonly [field: string]: Fact };

export interface Facts {
  readonly name: string;
  readonly [field: string]: Fact;
}

/** This server takes part in a round with this score; `why` are the numbers behind it. */
export interface Candidate {
  readonly round: number;
  readonly score: Score;
  readonly why: Readonly<Record<string, number>>;
}

export const candidate = (round: Round, score: Score, why: Candidate["why"]): Facts => ({
  name: "candidate",
  round,
  score,
  why,
});

/** Null when the facts are others, or not as they should be. */
export function candidateOf(facts: Facts): Candidate | null {
  const { name, round, score, why } = facts;
  const isScore = Array.isArray(score) && score.every((part) => typeof part === "number");
  if (name !== "candidate" || typeof round !== "number" || !isScore) return null;
  const numbers = Object.entries(why ?? {}).filter(([, value]) => typeof value === "number");
  return { round, score, why: Object.fromEntries(numbers) };
}

/** A score, an id, a word: as a sentence has it. */
export function printFact(fact: Fact | undefined): string {
  if (Array.isArray(fact)) return `[${fact.map(printFact).join(", ")}]`;
  return typeof fact === "string" ? fact : JSON.stringify(fact ?? null);
}
