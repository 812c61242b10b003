/**
 * Atomic broadcast as the replica sees it. The election says whom to follow; the broadcast makes that leader
 * lawful (or reports that it could not) and then keeps one history on all servers.
 */

import type { Protocol } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Restoration, Snapshot } from "../core/machine.ts";
import type { Round } from "../core/score.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Ticket, Transaction } from "../core/transaction.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";
import type { BroadcastEvent } from "../telemetry/broadcast-event.ts";
import type { BroadcastMessage } from "./message.ts";

export type BroadcastRequest =
  /**
   * The election's answer. A server told to follow itself leads. What was followed before is left, without
   * `lost`.
   */
  | { readonly kind: "follow"; readonly leader: ServerId; readonly round: Round }
  /** Drop what is followed or led, at once; answered by `lost`, unless there is nothing to drop. */
  | { readonly kind: "abandon"; readonly reason: string }
  /** Give the place of the leader to this server, while it serves; told by `handing` and `kept`. */
  | { readonly kind: "transfer"; readonly to: ServerId }
  | { readonly kind: "write"; readonly ticket: Ticket; readonly payload: Uint8Array }
  | { readonly kind: "sync"; readonly sequence: number };

export type BroadcastOutput =
  /**
   * A lawful epoch began and this server is part of it: clients can be served. Whatever this server forwarded
   * before it joined and that can still be committed has a zxid up to `settled`: the last one its leader had
   * given out when it took the join (zxids are given when a request arrives, so that this is true). Once that
   * is delivered, a write that was not seen never will be, and may be forwarded again.
   */
  | { readonly kind: "serving"; readonly leader: ServerId; readonly epoch: Epoch; readonly settled: Zxid }
  /** This server follows nobody any more: elect. `reason` is for people; `heir` is whom the leader named. */
  | {
      readonly kind: "lost";
      readonly leader: ServerId;
      readonly reason: string;
      readonly heir: ServerId | null;
    }
  /** The own state now holds everything that was committed when the sync was asked for. */
  | { readonly kind: "synced"; readonly sequence: number }
  | { readonly kind: "event"; readonly event: BroadcastEvent };

/**
 * `early`: joins that came before this server knew that it is to lead have waited long enough. `transfer`:
 * who is to lead next has not come level.
 */
export type BroadcastTimer = "join" | "discovery" | "synchronization" | "early" | "transfer";

export interface BroadcastProtocol extends Protocol {
  readonly message: BroadcastMessage;
  readonly timer: BroadcastTimer;
  readonly request: BroadcastRequest;
  readonly output: BroadcastOutput;
}

/** What the broadcast calls, at once and in order, for what it has decided. */
export interface Application {
  /** The zxid of the last transaction executed. */
  readonly applied: Zxid;
  /** Its time of day. */
  readonly time: TimeOfDay;
  /** The next committed transaction. */
  deliver(transaction: Transaction): void;
  /**
   * The state after the last delivered transaction. Several may be open at a time: one for each server that
   * needs it.
   */
  snapshot(): Snapshot;
  /**
   * The state is about to be replaced by a snapshot: no `deliver` will come for what it covers. When its
   * sender is lost on the way, it is never finished, and what is executed next follows the old state.
   */
  restore(zxid: Zxid): Restoration;
}
