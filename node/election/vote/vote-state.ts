/** What a server that votes remembers, besides what every election among peers does. */

import type { ServerId } from "../../core/identity.ts";
import { type Round, round } from "../../core/score.ts";
import { type Duration, type Instant, instant } from "../../core/time.ts";
import type { Key } from "../key.ts";
import { initialPeerState, type PeerState } from "../peer-state.ts";

export interface VoteState extends PeerState {
  /** Asks for votes in this round. */
  stands: boolean;
  /** For whom it has voted last, and in which round. */
  granted: { readonly round: Round; readonly to: ServerId } | null;
  /** Who has voted for it in this round. */
  grants: readonly ServerId[];
  /** Who asked while a leader was followed, or while a promise to another held. */
  held: { readonly round: Round; readonly from: ServerId } | null;
  /** As last heard. */
  keys: readonly Key[];
  /** What it has told of itself since a leader is served, and whom that are still connected. */
  told: Key | null;
  toldTo: readonly ServerId[];
  /** Who asked in this round, where all are waited for. */
  asks: readonly ServerId[];
  /** It votes for nobody else at present. */
  promised: ServerId | null;
  /** When it asked for what it leads by, or asks for now. */
  askedAt: Instant;
  /** Who has promised anew since it asked the last time. */
  renewal: number;
  kept: readonly ServerId[];
  sitsOut: boolean;
  /** Up to this round it may have voted in an earlier life. */
  forgotten: Round;
  life: number;
  draws: number;
}

export const initialState = (retry: Duration): VoteState => ({
  ...initialPeerState(retry),
  stands: false,
  granted: null,
  grants: [],
  held: null,
  keys: [],
  told: null,
  toldTo: [],
  asks: [],
  promised: null,
  askedAt: instant(0),
  renewal: 0,
  kept: [],
  sitsOut: false,
  forgotten: round(0),
  life: 0,
  draws: 0,
});
