/** What POLE says (Algorithm 1): proposals carry a candidate and its score, votes answer with a leader. */

import type { ServerId } from "../../core/identity.ts";
import type { Round, Score } from "../../core/score.ts";
import type { Vote } from "../vote.ts";

/** `P`: the best candidate its sender knows of in this round. */
export interface Proposal {
  readonly kind: "proposal";
  readonly round: Round;
  readonly score: Score;
  readonly candidate: ServerId;
}

/** `V`: the leader its sender follows, told to one who asks. */
export interface PoleVote extends Vote {
  readonly kind: "vote";
}

export type PoleMessage = Proposal | PoleVote;

/** What makes it a message that no server of this ensemble would send, or null. */
export function flawOf(message: PoleMessage, servers: readonly ServerId[]): string | null {
  const named = message.kind === "proposal" ? message.candidate : message.leader;
  if (!servers.includes(named))
    return `its ${message.kind} names server ${named}, which is not of the ensemble`;
  return message.kind === "proposal" && message.score.some(Number.isNaN)
    ? "its proposal has a score that is not a number"
    : null;
}
