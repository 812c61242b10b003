/**
 * What a server must remember through a crash, as one sequence of records.
 *
 * The disk is a peer: records are appended, and some time later a prefix of them is durable. After a crash
 * the disk holds a prefix of what was appended, at least as long as what was said to be durable. Epochs,
 * transactions and snapshots share the one sequence, so there is no second file that could be newer or older
 * than the first, and recovery is a fold.
 */

import type { ServerId } from "./identity.ts";
import type { Transaction } from "./transaction.ts";
import type { Epoch, Zxid } from "./zxid.ts";

export type LogRecord =
  | { readonly kind: "transaction"; readonly transaction: Transaction }
  /** Every transaction after this zxid is gone: it was proposed by a leader whose successors never saw it. */
  | { readonly kind: "truncate"; readonly to: Zxid }
  /** The acceptedEpoch of Zab: never follow an older epoch, nor this one under another leader. */
  | { readonly kind: "promise"; readonly epoch: Epoch; readonly leader: ServerId }
  /** The currentEpoch of Zab: the history up to here is the initial history of this epoch. */
  | { readonly kind: "epoch"; readonly epoch: Epoch }
  /**
   * The disk was new before there was any epoch: so it replaces no other, and nothing was forgotten with it.
   */
  | { readonly kind: "founder" }
  /**
   * One chunk of a snapshot of the state after `zxid`. It counts from the moment its last chunk is durable. A
   * checkpoint of the own state replaces the transactions up to `zxid`; a snapshot received from another
   * server replaces them all.
   */
  | {
      readonly kind: "snapshot";
      readonly zxid: Zxid;
      readonly replaces: "prefix" | "all";
      readonly index: number;
      readonly last: boolean;
      readonly bytes: Uint8Array;
    };

/** What the records say once they are read to their end. */
export interface Recovered {
  readonly promise: { readonly epoch: Epoch; readonly leader: ServerId } | null;
  readonly epoch: Epoch;
  readonly founder: boolean;
  readonly snapshot: { readonly zxid: Zxid; readonly chunks: Iterable<Uint8Array> } | null;
  /** In order, all after the snapshot's zxid; whether any of them is committed is for Zab to find out. */
  readonly transactions: readonly Transaction[];
}
