/**
 * Everything a POLE server remembers, as plain data: what Algorithm 1 declares in lines 4 to 9 and the little
 * that was added to it. Plain, so that the explorer of small worlds can copy a server and recognise a state
 * it has seen.
 */

import type { ServerId } from "../../core/identity.ts";
import { type Round, round } from "../../core/score.ts";
import type { Duration } from "../../core/time.ts";
import type { Votes } from "../vote.ts";
import type { PoleVote, Proposal } from "./message.ts";

export type Phase =
  /** Never asked to elect. */
  | "resting"
  /** Asked, and get-score blocks: the oracle does not know enough for a first score (section 5). */
  | "waiting"
  /** `leader` = bottom. */
  | "electing"
  /** `leader` is known. */
  | "following";

export interface PoleState {
  phase: Phase;
  /** `epoch` in the listing. */
  round: Round;
  leader: ServerId | null;
  /** This server serves under `leader`. */
  led: boolean;
  /** The best candidate known of, with the round; null until the first score. */
  proposal: Proposal | null;
  /** `proposal-set`: who was heard since the round began. */
  proposalSet: readonly ServerId[];
  /** `vote-set`: the last vote of each server since the round began. */
  votes: Votes<PoleVote>;
  /** Is the election timer running? */
  closing: boolean;
  /** `t`: what the retry timer is armed with next. */
  retryAfter: Duration;
  /** Servers known to be down. One that was never connected is not known to be anything. */
  down: readonly ServerId[];
  /** Of these, for whose sake a round was begun. */
  objected: readonly ServerId[];
}

/** Lines 5 to 9. */
export const initialState = (retry: Duration): PoleState => ({
  phase: "resting",
  round: round(0),
  leader: null,
  led: false,
  proposal: null,
  proposalSet: [],
  votes: [],
  closing: false,
  retryAfter: retry,
  down: [],
  objected: [],
});
