/** What a server of an election among peers remembers, as plain data: a copy of it goes on where it was. */

import type { ServerId } from "../core/identity.ts";
import { type Round, round } from "../core/score.ts";
import type { Duration } from "../core/time.ts";
import type { Key } from "./key.ts";
import type { Vote, Votes } from "./vote.ts";

export type Phase =
  /** Never asked to elect, and nothing came. */
  | "resting"
  /** Asked, and the oracle does not know enough for a first score. */
  | "waiting"
  | "electing"
  | "following";

export interface PeerState {
  phase: Phase;
  /**
   * In which it takes part, or took part last. It never falls, so nobody follows two leaders in one round.
   */
  round: Round;
  /** The latest that it has heard of. */
  latest: Round;
  leader: ServerId | null;
  /** The last leader that it followed, and in which round. */
  followed: Vote | null;
  /** This server serves under `leader`. */
  led: boolean;
  /**
   * Who said that it leads a later round, while another was followed: it is followed once that one is lost.
   */
  successor: Vote | null;
  /** Drawn for this round; null before the first. */
  own: Key | null;
  /** Of each server whom it follows, since the round began. */
  votes: Votes;
  /** In which round it last asked who has a leader. */
  enquired: Round;
  connected: readonly ServerId[];
  /** Servers known to be down. One that was never connected is not known to be anything. */
  down: readonly ServerId[];
  /** Connected since `leader` was found: what was said then has not reached them. */
  fresh: readonly ServerId[];
  /** What the retry timer is armed with next. */
  retryAfter: Duration;
}

export const initialPeerState = (retry: Duration): PeerState => ({
  phase: "resting",
  round: round(0),
  latest: round(0),
  leader: null,
  followed: null,
  led: false,
  successor: null,
  own: null,
  votes: [],
  enquired: round(0),
  connected: [],
  down: [],
  fresh: [],
  retryAfter: retry,
});
