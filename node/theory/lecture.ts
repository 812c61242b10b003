/**
 * An algorithm of the lectures as the catalog has it: who takes part, what its election is tried on, and what
 * is said about its cost.
 */

import type { Random } from "../core/random.ts";
import type { Cast } from "./in-step.ts";
import type { Message } from "./process.ts";

/** What decides what an election costs. */
export interface Case {
  /** Round the ring in the direction of travel, or by place. */
  readonly ids: readonly number[];
  /** Places that begin by themselves. */
  readonly initiators: readonly number[];
  /** For what is left to chance. */
  readonly seed: number;
  /** Ids that are dead from the beginning, where an algorithm knows of such; else it says who is. */
  readonly dead?: readonly number[];
}

export interface Cases {
  /** All there are for n, each once and each as likely; null when there are too many to number. */
  all(n: number): { readonly count: number; readonly each: Iterable<Case> } | null;
  drawn(n: number, random: Random): Case;
  /** Those that are known to cost least and most. */
  extreme(n: number): readonly Case[];
}

/** A quantity that somebody says an election has. */
export interface Law {
  readonly label: string;
  /** Null where it says nothing. */
  readonly of: (n: number) => number | null;
}

export interface Theory {
  /** Of the messages that count. */
  readonly best: Law | null;
  readonly mean: Law | null;
  readonly worst: Law | null;
  /** When the first knows. */
  readonly first: Law | null;
  /** Below which no algorithm of its kind can stay. */
  readonly bound: Law | null;
  /** As the lecture prints it, and what is wrong with that, or null. */
  readonly printed: readonly (Law & { readonly wrong: string | null })[];
}

export interface Lecture<M extends Message = Message> {
  readonly title: string;
  /** Another reading of one that is in the catalog too. */
  readonly isVariant?: boolean;
  readonly source: string;
  /** In a few sentences, for somebody who has not heard the lecture. */
  readonly intuition: string;
  readonly medium: "ring" | "complete network";
  readonly timing: "asynchronous" | "bounded delays" | "rounds";
  /** The greatest ring that it is tried on. */
  readonly most: number;
  /** Kinds of messages that its formulas count; the others tell who was elected. */
  readonly counted: readonly string[];
  /** Which is expected to lead, where these places begin; null when chance decides. */
  readonly leader:
    | ((ids: readonly number[], dead?: readonly number[], initiators?: readonly number[]) => number)
    | null;
  readonly cases: Cases;
  /** For a story: small enough to read, large enough to see. */
  readonly example: Case;
  readonly theory: Theory;
  /** Mistakes that one could make, each caught by its tests. */
  readonly slips: Readonly<Record<string, string>>;
  cast(one: Case, slip: string | null): Cast<M>;
  /** A message in a few words. */
  say(message: M): string;
}

/** The least order in which an asynchronous ring can elect. */
export const ORDER_OF_RINGS: Law = {
  label: "n log2 n, the order below which no worst case stays",
  of: (n) => n * Math.log2(n),
};

export const places = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, place) => place);
