/** What POLE says (Algorithm 1): proposals carry a candidate and its score, votes answer with a leader. */

import type { ServerId } from "../core/identity.ts";
import type { Round, Score } from "../core/score.ts";

/** `P`: the best candidate its sender knows of in this round. */
export interface Proposal {
  readonly kind: "proposal";
  readonly round: Round;
  readonly score: Score;
  readonly candidate: ServerId;
}

/** `V`: the leader its sender follows, told to one who asks. */
export interface Vote {
  readonly kind: "vote";
  readonly round: Round;
  readonly leader: ServerId;
}

export type PoleMessage = Proposal | Vote;
export type PoleTimer = "election" | "retry";
