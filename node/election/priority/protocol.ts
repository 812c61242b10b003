/** What a member of a priority election is asked, and what it tells. */

import type { ServiceElectionOutput, ServiceElectionRequest } from "../service-election.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import type { Former } from "./layout.ts";

/** Of a member's own work, which is not its automaton's: taking over, leading, giving up. */
export type PriorityRequest =
  | ServiceElectionRequest
  /** It has taken over, and can lead in this term. */
  | { readonly kind: "ready"; readonly term: number }
  /** It cannot. */
  | { readonly kind: "failed"; readonly term: number }
  /** What it did as leader or candidate has ended. */
  | { readonly kind: "stopped" }
  /** How good a leader it would be, from now on. */
  | { readonly kind: "score"; readonly score: number };

export type PriorityOutput =
  /**
   * It leads from `elected` with itself to `deposed`; its `claim` is the term. After `deposed` nobody else
   * becomes leader before it says `stopped`, or its time to say so is up.
   */
  | ServiceElectionOutput
  /** Prepare to lead; answered by `ready` or `failed`. */
  | { readonly kind: "take over"; readonly term: number; readonly previous: Former | null }
  /** Undo that; answered by `stopped`. */
  | { readonly kind: "abandon"; readonly term: number; readonly reason: string };

export interface PriorityProtocol extends Coordination {
  readonly timer: "again" | "deadline" | "review" | "work";
  readonly request: PriorityRequest;
  readonly output: PriorityOutput;
}

/** Mistakes that someone could make, one line each, for tests that show what each would break. */
export const PRIORITY_MUTANTS = {
  "deletes-again": "what a session had not deleted is deleted in the next",
  "exclusions-in-memory": "the elector remembers whom it excluded, and writes it nowhere",
  "one-deadline": "a candidate's time begins when it is elected, whether an old leader gave up or not",
  "not-undone": "who takes over goes on when another is elected",
  "member-by-id": "a member takes what was meant for an earlier life of its name for its own",
  "term-unchecked": "claims and READY are written whatever the term",
  "leads-suspended": "a leader goes on without a connection",
  "elected-unchecked": "the elector writes whatever was elected since it read",
  "acts-before-ready": "a candidate leads while its READY is under way",
  "drops-unchecked": "who gives up deletes what is there",
  "never-keeps": "the strategy is asked again although somebody leads",
  "never-rests": "when all have failed, the first is asked again at once",
  spins: "a claim that finds another there is made again at once",
  "elected-anew": "the elector deletes what was elected and makes it anew",
} as const;

export type PriorityMutant = keyof typeof PRIORITY_MUTANTS;
