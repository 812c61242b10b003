/**
 * Everything a server of a ring remembers of elections, as plain data, so that the explorer of small worlds
 * can copy a server and recognise a state it has seen. `Tour` is what the rules of an election add.
 */

import type { ServerId } from "../../core/identity.ts";
import { type Round, round } from "../../core/score.ts";
import type { Duration } from "../../core/time.ts";
import type { Key } from "../key.ts";
import type { Vote, Votes } from "../vote.ts";
import type { Token } from "./contest-message.ts";
import type { Way } from "./ring.ts";

export type Phase =
  /** Never asked to elect. */
  | "resting"
  /** Asked, but somebody has not been heard of yet, or the oracle does not know enough for a first score. */
  | "waiting"
  /** Takes part in a round. */
  | "electing"
  /** Has a leader. Tokens pass through, and their owners are told whom it follows. */
  | "following";

export interface Held<T extends Token> {
  readonly way: Way;
  readonly round: Round;
  readonly token: T;
}

/** Of each server what it said last. */
export const withHeld = <T extends Token>(held: readonly Held<T>[], last: Held<T>): readonly Held<T>[] => [
  ...held.filter(({ way, token }) => way !== last.way || token.key.server !== last.token.key.server),
  last,
];

export interface ContestState<T extends Token, Tour> {
  phase: Phase;
  /** Was it ever asked to elect? */
  isAsked: boolean;
  /** In which it takes part, or took part last. It never falls, so a key stands for its whole round. */
  round: Round;
  leader: ServerId | null;
  /** The last leader that it followed, and in which round. */
  followed: Vote | null;
  /** Drawn for this round; null before the first. */
  own: Key | null;
  /** The greatest key heard of in this round. */
  greatest: Key | null;
  /** Whose tokens it let pass in which rounds since it last had no leader; of the last two rounds. */
  passed: readonly Vote[];
  /** Whose tokens ran past them since anything was last said again. */
  shunned: readonly ServerId[];
  votes: Votes;
  /** What the retry timer is armed with next. */
  retryAfter: Duration;
  /** Is it still waited for whom has not been heard of? */
  gathering: boolean;
  /** Tokens of rounds that it may yet take part in: at first they wait with it, later they pass. */
  held: readonly Held<T>[];
  successor: ServerId | null;
  /** This server and all that are connected. */
  members: readonly ServerId[];
  /** Servers known to be down. One that was never connected is not known to be anything. */
  down: readonly ServerId[];
  tour: Tour;
}

export const initialState = <T extends Token, Tour>(retry: Duration, tour: Tour): ContestState<T, Tour> => ({
  phase: "resting",
  isAsked: false,
  round: round(0),
  leader: null,
  followed: null,
  own: null,
  greatest: null,
  passed: [],
  shunned: [],
  votes: [],
  retryAfter: retry,
  gathering: false,
  held: [],
  successor: null,
  members: [],
  down: [],
  tour,
});

type Known = Pick<ContestState<Token, unknown>, "passed" | "members" | "down">;

export const hasPassed = ({ passed }: Known, { round: inRound, leader }: Vote): boolean =>
  passed.some((vote) => vote.round === inRound && vote.leader === leader);

export const isHeardOf = ({ members, down }: Known, server: ServerId): boolean =>
  members.includes(server) || down.includes(server);
