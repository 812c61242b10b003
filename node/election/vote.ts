/**
 * How who comes late learns who leads (POLE, Algorithm 1, lines 54 to 65): it asks, whoever has a leader
 * answers with a vote, and a quorum of votes for one leader, the leader's own among them, settles it. So
 * nobody is unseated because somebody else is back.
 */

import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { majority } from "../core/quorum.ts";
import type { Round } from "../core/score.ts";

/** The leader that a server follows, and in which round it was found. */
export interface Vote {
  readonly round: Round;
  readonly leader: ServerId;
}

/** Of each server its last vote. */
export type Votes<V extends Vote = Vote> = readonly { readonly from: ServerId; readonly vote: V }[];

/** A server's later vote replaces its earlier one. */
export const withVote = <V extends Vote>(votes: Votes<V>, from: ServerId, vote: V): Votes<V> => [
  ...votes.filter((earlier) => earlier.from !== from),
  { from, vote },
];

/** By leader alone: servers may have come to follow one leader in different rounds. */
export const sameLeader = (a: Vote, b: Vote): boolean => a.leader === b.leader;

/** What the votes equal to the last one settle in an ensemble of this size, or null. */
export function settledBy<V extends Vote>(
  votes: Votes<V>,
  size: number,
  isSame: (a: V, b: V) => boolean = sameLeader,
  mutant: Mutant | null = null,
): V | null {
  const last = votes.at(-1)?.vote;
  if (last === undefined) return null;
  const same = votes.filter(({ vote }) => isSame(vote, last));
  if (same.length < majority(size)) return null;
  const leaders = same.find(({ from }) => from === last.leader)?.vote ?? null;
  return leaders ?? (mutant === "follow-without-leaders-vote" ? last : null);
}
