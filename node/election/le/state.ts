/** What a server that announces itself remembers, as plain data: a copy of it goes on where it was. */

import type { ServerId } from "../../core/identity.ts";
import { type Round, round } from "../../core/score.ts";
import type { Instant } from "../../core/time.ts";
import { type Epoch, NO_EPOCH } from "../../core/zxid.ts";
import type { Key } from "../key.ts";
import type { Claim } from "./message.ts";

export interface LeState {
  phase:
    | "resting"
    /** Asked to elect, and the oracle does not know enough for a first score. */
    | "waiting"
    | "electing"
    /** Its service is led. */
    | "led";
  round: Round;
  /** The latest that it has heard of. */
  latest: Round;
  /** Drawn for this round. */
  own: Key | null;
  /** Whom it takes for the leader: itself once it has spoken, nobody while it is silent. */
  leader: ServerId | null;
  /** What that one claims, when it is another. */
  claim: Pick<Claim, "epoch" | "key"> | null;
  /** In which its service is led. */
  epoch: Epoch;
  /** Its time to speak has come. */
  due: boolean;
  /** The greatest claim of another than the leader, heard while nobody was looked for. */
  heard: { readonly from: ServerId; readonly claim: Claim; readonly at: Instant } | null;
  /** Of the others, as last heard. */
  keys: readonly Key[];
  connected: readonly ServerId[];
  /** Servers known to be down. One that was never connected is not known to be anything. */
  down: readonly ServerId[];
  life: number;
  draws: number;
}

export const INITIAL: LeState = {
  phase: "resting",
  round: round(0),
  latest: round(0),
  own: null,
  leader: null,
  claim: null,
  epoch: NO_EPOCH,
  due: false,
  heard: null,
  keys: [],
  connected: [],
  down: [],
  life: 0,
  draws: 0,
};
