/**
 * By what servers are compared in an election: first the score, then the id, so that no two are equal.
 *
 * A score moves while it is measured, so a server draws its key once a round and keeps it for as long as the
 * round lasts: who has told a key must recognise it when it comes back.
 */

import type { ServerId } from "../core/identity.ts";
import type { Judge, Score } from "../core/score.ts";

export interface Key {
  readonly score: Score;
  readonly server: ServerId;
}

/** Negative when `a` is the worse of the two; 0 only for one server with itself. */
export function compareKeys(judge: Judge, a: Key, b: Key): number {
  return judge.compare(a.score, b.score) || a.server - b.server;
}
