/** What came of an election, as whoever carried the messages has seen it. */

import type { Effect, Input, Message } from "./process.ts";

export interface Outcome {
  /** Carried messages by kind. */
  readonly messages: ReadonlyMap<string, number>;
  /** Places that took themselves for the leader, in order of time. */
  readonly leaders: readonly Decision[];
  /** For each place whom it followed first, and when; null for those that never decided. */
  readonly followed: readonly (Followed | null)[];
  /** How many that live never decided. */
  readonly undecided: number;
  /** When the last message arrived. */
  readonly quietAt: number;
  /** `quiet`: nothing was under way any more. `given up`: it had cost more than was allowed. */
  readonly ended: "quiet" | "told to end" | "given up";
}

export interface Decision {
  readonly place: number;
  readonly at: number;
}

export interface Followed {
  readonly leader: number;
  readonly at: number;
}

/** One thing that a process did, for whoever watches. */
export interface Step<M extends Message = Message> {
  readonly at: number;
  readonly place: number;
  readonly input: Input<M>;
  readonly effects: readonly Effect<M>[];
}

/** Carried messages of these kinds, or of all. */
export function carried({ messages }: Outcome, ...kinds: readonly string[]): number {
  const counted = kinds.length === 0 ? [...messages.keys()] : kinds;
  return counted.reduce((all, kind) => all + (messages.get(kind) ?? 0), 0);
}

/** When the first, and when the last knew who leads; null when somebody never did. */
export function knownAt({ leaders, followed, undecided }: Outcome): { first: number; last: number } | null {
  const [first] = leaders;
  if (first === undefined || undecided > 0) return null;
  return { first: first.at, last: followed.reduce((last, one) => Math.max(last, one?.at ?? 0), 0) };
}
