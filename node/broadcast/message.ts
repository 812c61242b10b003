/**
 * What Zab says, phase by phase. `L` is the leader, `F` one of its followers.
 *
 *   discovery        F join -> L   L newEpoch -> F   F ackEpoch -> L   when L lacks something: L pull -> F
 *   synchronization  L truncate/snapshot, propose -> F   L newLeader -> F   F ack -> L   L upToDate -> F
 *   broadcast        F forward -> L  L propose -> F  F ack -> L  L commit -> F  (F sync -> L  L synced -> F)
 *                    L handOver -> F, when it gives its place to one of them
 *
 * Pulling runs the first half of synchronization backwards: the follower with the newest history sends, the
 * leader stores, and `pulled` ends it. Everything between two servers arrives in the order sent, so an `ack`
 * covers all before it. `refuse` answers a join; after `newEpoch` either side parts with `leave`. A server
 * with a new disk asks all others before anything else (`recall`).
 */

import type { ServerId } from "../core/identity.ts";
import type { Ticket, Transaction } from "../core/transaction.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";

/** The sender's disk is new: what does the receiver know of epochs? */
export interface Recall {
  readonly kind: "recall";
}

/** The epoch that its sender is a member of, and the one that it has promised last. */
export interface Recalled {
  readonly kind: "recalled";
  readonly epoch: Epoch;
  readonly promise: Join["promise"];
}

/** F asks to follow. `attempt` tells this try from earlier ones whose answers may still be under way. */
export interface Join {
  readonly kind: "join";
  readonly attempt: number;
  readonly promise: { readonly epoch: Epoch; readonly leader: ServerId } | null;
}

/** L does not lead and is not about to: look again. */
export interface Refuse {
  readonly kind: "refuse";
  readonly attempt: number;
}

/** L leads no longer, or F follows no longer. */
export interface Leave {
  readonly kind: "leave";
}

/** L leads no longer; it has brought this server level, and all are to follow it. */
export interface HandOver {
  readonly kind: "handOver";
  readonly to: ServerId;
}

export interface NewEpoch {
  readonly kind: "newEpoch";
  readonly attempt: number;
  readonly epoch: Epoch;
}

/** F has promised the epoch, durably; this is the state of its history. */
export interface AckEpoch {
  readonly kind: "ackEpoch";
  readonly epoch: Epoch;
  readonly currentEpoch: Epoch;
  readonly lastZxid: Zxid;
  /** F has all that it ever acknowledged: its disk is not one that replaces another. */
  readonly member: boolean;
}

/** L lacks what F has: F sends its history from where the two part. */
export interface Pull {
  readonly kind: "pull";
  readonly epoch: Epoch;
  readonly lastZxid: Zxid;
}

/**
 * Opens a stream of transactions: the two histories agree up to this one, and the receiver drops what it has
 * after it (mostly nothing). A snapshot opens a stream too.
 */
export interface Truncate {
  readonly kind: "truncate";
  readonly to: Zxid;
}

/**
 * One chunk of the sender's state after `zxid`; the last one replaces the receiver's whole history, and the
 * stream goes on behind it. It comes instead of `truncate`, or later when the receiver fell too far behind.
 */
export interface SnapshotChunk {
  readonly kind: "snapshot";
  readonly zxid: Zxid;
  readonly index: number;
  readonly last: boolean;
  readonly bytes: Uint8Array;
}

/**
 * Chunk `index` has been taken in, and the disk has it: the sender keeps only a few under way, so that
 * nothing else waits behind them, and neither memory nor network holds what a disk is too slow for.
 */
export interface SnapshotTaken {
  readonly kind: "snapshotTaken";
  readonly index: number;
}

/** The next transactions of the history. */
export interface Propose {
  readonly kind: "propose";
  readonly transactions: readonly Transaction[];
}

/** L is busy with others (it pulls, or brings a quorum level) and advances: F goes on waiting. */
export interface Wait {
  readonly kind: "wait";
}

/** The pulled history ends here. */
export interface Pulled {
  readonly kind: "pulled";
  readonly lastZxid: Zxid;
}

/**
 * F's history is that of the epoch's leader up to `lastZxid`, which is at least what L had given out when F
 * joined. From here on F is a member of the epoch; live proposals may follow at once.
 */
export interface NewLeader {
  readonly kind: "newLeader";
  readonly epoch: Epoch;
  readonly lastZxid: Zxid;
}

/**
 * Everything up to `zxid` is durable at the receiver of a stream. `epoch` is the leader's once `newLeader` is
 * durable too, and 0 before: such an ack counts towards no quorum, it only makes room for more to be sent.
 */
export interface Ack {
  readonly kind: "ack";
  readonly epoch: Epoch;
  readonly zxid: Zxid;
}

/** The epoch is established: everything up to `committed` may be executed, and clients served. */
export interface UpToDate {
  readonly kind: "upToDate";
  readonly epoch: Epoch;
  readonly committed: Zxid;
}

/** Everything up to `zxid` is committed, whether F has it already or not. */
export interface Commit {
  readonly kind: "commit";
  readonly epoch: Epoch;
  readonly zxid: Zxid;
}

/** A write that a client of F asked for. */
export interface Forward {
  readonly kind: "forward";
  readonly ticket: Ticket;
  readonly payload: Uint8Array;
}

/** F wants to know how far the history was committed at some moment after this one. */
export interface Sync {
  readonly kind: "sync";
  readonly sequence: number;
}

export interface Synced {
  readonly kind: "synced";
  readonly sequence: number;
  readonly committed: Zxid;
}

/** L asks whether it still leads (a sync must not be answered by a leader that was deposed unawares). */
export interface Confirm {
  readonly kind: "confirm";
  readonly epoch: Epoch;
  readonly sequence: number;
}

export interface Confirmed {
  readonly kind: "confirmed";
  readonly epoch: Epoch;
  readonly sequence: number;
}

export type BroadcastMessage =
  | Recall
  | Recalled
  | Join
  | Refuse
  | Leave
  | HandOver
  | NewEpoch
  | AckEpoch
  | Pull
  | Truncate
  | SnapshotChunk
  | SnapshotTaken
  | Propose
  | Wait
  | Pulled
  | NewLeader
  | Ack
  | UpToDate
  | Commit
  | Forward
  | Sync
  | Synced
  | Confirm
  | Confirmed;
