/**
 * Everything a POLE server remembers, as plain data: what Algorithm 1 declares in lines 4 to 9 and the little
 * that was added to it. Plain, so that the explorer of small worlds can copy a server and recognise a state
 * it has seen.
 */

import type { ServerId } from "../../core/identity.ts";
import { type Round, round, type Score } from "../../core/score.ts";
import type { Duration } from "../../core/time.ts";
import type { Vote, Votes } from "../vote.ts";
import type { PoleVote, Proposal } from "./message.ts";
import type { Standings } from "./succession.ts";

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
  /** Whom it followed last, and in which round. */
  followed: Vote | null;
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
  /** Whom the leader takes for the best to follow it, as it said last. */
  heir: ServerId | null;
  /** What this server told its leader last of how good a one it would be. */
  told: Score | null;
  /** At a leader: how good each other would be. */
  standings: Standings;
  /** This server took over from it, as its heir, and does not lead yet. */
  succeeds: ServerId | null;
}

/** Lines 5 to 9. */
export const initialState = (retry: Duration): PoleState => ({
  phase: "resting",
  round: round(0),
  leader: null,
  followed: null,
  led: false,
  proposal: null,
  proposalSet: [],
  votes: [],
  closing: false,
  retryAfter: retry,
  down: [],
  objected: [],
  heir: null,
  told: null,
  standings: [],
  succeeds: null,
});
