/**
 * What a replica tells about itself: the one union that logs, the simulator's transcripts, checks and reports
 * all read. An event is a fact with its numbers; the host adds when it happened and where.
 */

import type { ServerId } from "../core/identity.ts";
import type { Round } from "../core/score.ts";
import type { Epoch } from "../core/zxid.ts";
import type { BroadcastEvent } from "./broadcast-event.ts";
import type { Facts } from "./facts.ts";
import type { ResignationEvent } from "./resignation-event.ts";
import type { Volumes } from "./traffic.ts";

export type ReplicaEvent =
  /** This server knows no leader and asks for an election. */
  | { readonly kind: "looking"; readonly reason: string }
  /** What its election has to tell, in that election's own words. */
  | { readonly kind: "observed"; readonly election: string; readonly facts: Facts }
  | {
      readonly kind: "elected";
      readonly leader: ServerId;
      readonly round: Round;
      readonly claim?: number;
    }
  | { readonly kind: "serving"; readonly leader: ServerId; readonly epoch: Epoch }
  | { readonly kind: "lost"; readonly leader: ServerId; readonly reason: string }
  | { readonly kind: "down"; readonly server: ServerId; readonly silent: boolean; readonly reason: string }
  | { readonly kind: "up"; readonly server: ServerId }
  /** Since this life began. */
  | { readonly kind: "traffic"; readonly sent: Volumes }
  | ResignationEvent
  | BroadcastEvent;

/** Every kind of event, or the compiler says which is missing. */
const KINDS = {
  looking: true,
  observed: true,
  elected: true,
  serving: true,
  lost: true,
  down: true,
  up: true,
  joining: true,
  founding: true,
  returning: true,
  discovered: true,
  pulling: true,
  pulled: true,
  synchronizing: true,
  synchronized: true,
  parted: true,
  resigning: true,
  resigned: true,
  staying: true,
  handing: true,
  kept: true,
  established: true,
  committed: true,
  checkpoint: true,
  traffic: true,
} as const satisfies Record<ReplicaEvent["kind"], true>;

export const isEventKind = (kind: unknown): kind is ReplicaEvent["kind"] =>
  typeof kind === "string" && Object.hasOwn(KINDS, kind);
