/**
 * Takes in a stream of the history from another server: the counterpart of `stream.ts`.
 *
 * A stream is opened by naming the place where the two histories part, or by a snapshot; from there on every
 * transaction must follow the one before it without a gap. What comes is a message of another server, so
 * whatever does not fit is reported as a fault and nothing of it is used.
 */

import type { ServerId } from "../core/identity.ts";
import type { Restoration } from "../core/machine.ts";
import type { Transaction } from "../core/transaction.ts";
import { counterOf, type Epoch, epochOf, NO_EPOCH, printZxid, type Zxid, ZERO } from "../core/zxid.ts";
import type { SnapshotChunk } from "./message.ts";
import type { Fault, ServerState } from "./server-state.ts";

export class Intake {
  /** Everything taken in so far, chunks of snapshots included. */
  bytes = 0;
  how: "diff" | "snapshot" = "diff";
  readonly #server: ServerState;
  readonly from: ServerId;
  /** The last transaction of the sender's history that is here too, or null before the stream is opened. */
  #place: Zxid | null = null;
  #acknowledged: Zxid = ZERO;
  #acknowledgedEpoch: Epoch = NO_EPOCH;
  /** Chunks that the disk does not have yet, by their places in the journal. */
  readonly #underWay: { readonly index: number; readonly place: number }[] = [];
  #snapshot: { readonly zxid: Zxid; readonly restoration: Restoration; chunks: number } | null = null;

  constructor(server: ServerState, from: ServerId) {
    this.#server = server;
    this.from = from;
  }

  /** The last transaction taken in, or null while the stream is not open or a snapshot is under way. */
  get place(): Zxid | null {
    return this.#snapshot === null ? this.#place : null;
  }

  truncate(to: Zxid): Fault {
    const { history, journal, mutant, application } = this.#server;
    if (this.#place !== null || this.#snapshot !== null) return "a stream is opened twice";
    if (!history.has(to)) return `the histories do not agree on ${printZxid(to)}`;
    if (to < application.applied) return `${printZxid(to)} is before what was executed`;
    this.#place = to;
    this.#acknowledged = to;
    if (history.last === to || mutant === "skip-truncate") return null;
    history.truncate(to);
    journal.truncated(to);
    journal.append({ kind: "truncate", to });
    return null;
  }

  propose(transactions: readonly Transaction[]): Fault {
    let { place } = this;
    if (place === null) return "transactions before the stream was opened";
    for (const { zxid } of transactions) {
      if (!this.#follows(place, zxid)) return `${printZxid(zxid)} does not follow ${printZxid(place)}`;
      place = zxid;
    }
    for (const transaction of transactions) {
      this.#server.log(transaction);
      this.bytes += transaction.payload.length;
    }
    this.#place = place;
    return null;
  }

  snapshot({ zxid, index, last, bytes }: SnapshotChunk): Fault {
    if (index === 0) {
      const fault = this.#beginSnapshot(zxid);
      if (fault !== null) return fault;
    }
    const snapshot = this.#snapshot;
    if (snapshot?.zxid !== zxid || snapshot.chunks !== index)
      return `chunk ${index} of a snapshot out of order`;
    const { restoration } = snapshot;
    const fault = restoration.accept(bytes) ?? (last ? restoration.finish() : null);
    if (fault !== null) return `a snapshot that cannot be read: ${fault}`;
    snapshot.chunks += 1;
    this.bytes += bytes.length;
    const record = { kind: "snapshot", zxid, replaces: "all", index, last, bytes } as const;
    this.#underWay.push({ index, place: this.#server.journal.append(record) });
    if (last) {
      this.#server.replaced(zxid);
      this.#snapshot = null;
      this.#place = zxid;
    }
    return null;
  }

  /** Tells the sender how far everything is on the disk here, and whether the epoch is. */
  acknowledge(epoch: Epoch): void {
    const { journal, history, mutant } = this.#server;
    this.#takeChunks();
    if (this.#place === null) return;
    const stored = mutant === "acknowledge-before-durable" ? history.last : journal.durableZxid;
    const zxid = stored < this.#place ? stored : this.#place;
    if (zxid === this.#acknowledged && epoch === this.#acknowledgedEpoch) return;
    this.#acknowledged = zxid;
    this.#acknowledgedEpoch = epoch;
    this.#server.send(this.from, { kind: "ack", epoch, zxid });
  }

  /** Only what the disk has makes room for more: what waits for a slow disk waits at the sender, unread. */
  #takeChunks(): void {
    let [oldest] = this.#underWay;
    while (oldest !== undefined && this.#server.journal.holds(oldest.place)) {
      this.#server.send(this.from, { kind: "snapshotTaken", index: oldest.index });
      this.#underWay.shift();
      [oldest] = this.#underWay;
    }
  }

  #beginSnapshot(zxid: Zxid): Fault {
    const { application, checkpoint, history } = this.#server;
    if (this.#snapshot !== null) return "a snapshot within a snapshot";
    if (zxid < application.applied) return `a snapshot of ${printZxid(zxid)}, which was executed long ago`;
    if (this.#place !== null && zxid < history.last) return `a snapshot of what was sent already`;
    checkpoint.abandon();
    this.how = "snapshot";
    this.#snapshot = { zxid, restoration: application.restore(zxid), chunks: 0 };
    return null;
  }

  #follows(place: Zxid, zxid: Zxid): boolean {
    if (zxid === place + 1) return true;
    const epoch = epochOf(zxid);
    return (
      counterOf(zxid) === 1 && epoch > epochOf(place) && epoch <= (this.#server.promise?.epoch ?? NO_EPOCH)
    );
  }
}
