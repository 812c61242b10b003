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

/** How good a leader its sender would be after the one that it follows, told to that one. */
export interface Standing {
  readonly kind: "standing";
  readonly round: Round;
  readonly score: Score;
}

/** Whom a leader takes for the best to follow it. */
export interface Heir {
  readonly kind: "heir";
  readonly round: Round;
  readonly heir: ServerId;
}

export type PoleMessage = Proposal | PoleVote | Standing | Heir;

/** What makes it a message that no server of this ensemble would send, or null. */
export function flawOf(message: PoleMessage, servers: readonly ServerId[]): string | null {
  const named = namedIn(message);
  if (named !== null && !servers.includes(named))
    return `its ${message.kind} names server ${named}, which is not of the ensemble`;
  return "score" in message && message.score.some(Number.isNaN)
    ? `its ${message.kind} has a score that is not a number`
    : null;
}

function namedIn(message: PoleMessage): ServerId | null {
  switch (message.kind) {
    case "proposal":
      return message.candidate;
    case "vote":
      return message.leader;
    case "heir":
      return message.heir;
    case "standing":
      return null;
  }
}
