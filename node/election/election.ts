/**
 * Who leads? What every election of the catalog is, seen from outside.
 *
 * An election is an automaton that is asked to `elect` when its server knows no leader, and that some time
 * later outputs `elected`. Its answer is a guess, and may differ between servers for a while: Zab makes sure
 * that only one guess can gather a quorum, so a wrong one costs time, never a transaction. `connected` and
 * `unreachable` tell it who is known to be down.
 */

import type { Protocol } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Round, Score } from "../core/score.ts";
import type { PoleMessage, PoleTimer } from "./pole-message.ts";

/** Messages of all elections of the catalog. */
export type ElectionMessage = PoleMessage;

export type ElectionRequest =
  /** No leader is known, or the one that was known failed: find the next. */
  { readonly kind: "elect" };

export type ElectionOutput =
  | { readonly kind: "elected"; readonly leader: ServerId; readonly round: Round }
  /** For the story of an election: this server took part in a round with this score. */
  | { readonly kind: "candidate"; readonly round: Round; readonly score: Score }
  | {
      readonly kind: "heard";
      readonly round: Round;
      readonly from: ServerId;
      readonly candidate: ServerId;
      readonly score: Score;
    };

export interface ElectionProtocol extends Protocol {
  readonly message: ElectionMessage;
  readonly timer: PoleTimer;
  readonly request: ElectionRequest;
  readonly output: ElectionOutput;
}
