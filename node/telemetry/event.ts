/**
 * What a replica tells about itself: the one union that logs, the simulator's transcripts, checks and reports
 * all read. An event is a fact with its numbers; the host adds when it happened and where.
 */

import type { ServerId } from "../core/identity.ts";
import type { Round, Score } from "../core/score.ts";
import type { Epoch } from "../core/zxid.ts";
import type { BroadcastEvent } from "./broadcast-event.ts";
import type { Volumes } from "./traffic.ts";

export type ReplicaEvent =
  /** This server knows no leader and asks for an election. */
  | { readonly kind: "looking"; readonly reason: string }
  /** It takes part in a round with this score; `why` are the numbers behind it. */
  | {
      readonly kind: "candidate";
      readonly round: Round;
      readonly score: Score;
      readonly why: Readonly<Record<string, number>>;
    }
  /** Another server's proposal arrived. */
  | {
      readonly kind: "heard";
      readonly round: Round;
      readonly from: ServerId;
      readonly candidate: ServerId;
      readonly score: Score;
    }
  | { readonly kind: "elected"; readonly leader: ServerId; readonly round: Round }
  | { readonly kind: "serving"; readonly leader: ServerId; readonly epoch: Epoch }
  | { readonly kind: "lost"; readonly leader: ServerId; readonly reason: string }
  | { readonly kind: "down"; readonly server: ServerId; readonly silent: boolean; readonly reason: string }
  | { readonly kind: "up"; readonly server: ServerId }
  /** Since this life began. */
  | { readonly kind: "traffic"; readonly sent: Volumes }
  | BroadcastEvent;
