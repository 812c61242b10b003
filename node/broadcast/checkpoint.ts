/**
 * From time to time a server writes its own state to its disk, so that after a crash it need not read its
 * whole past.
 *
 * The state is taken as it is now and written chunk by chunk among the ordinary records, a few chunks under
 * way, so that no transaction ever waits behind it for long. It counts once its last chunk is durable; until
 * then, and if it is never finished, the older one does.
 *
 * All servers execute the same, so each begins its count somewhere else: they take turns, and a quorum always
 * has its disks to itself.
 */

import type { Snapshot } from "../core/machine.ts";
import type { Zxid } from "../core/zxid.ts";
import { SnapshotReader } from "./snapshot-reader.ts";
import type { ServerState } from "./server-state.ts";

export class Checkpoint {
  readonly #server: ServerState;
  #transactions = 0;
  #bytes = 0;
  #reader: SnapshotReader | null = null;
  #zxid: Zxid | null = null;
  /** Places in the journal of chunks that are not durable yet. */
  #underWay: number[] = [];

  constructor(server: ServerState) {
    this.#server = server;
    const { servers, id, options } = server;
    const headStart = servers.indexOf(id) / servers.length;
    this.#transactions = Math.floor(options.checkpointTransactions * headStart);
    this.#bytes = Math.floor(options.checkpointBytes * headStart);
  }

  /** So much was executed. */
  count(transactions: number, bytes: number): void {
    this.#transactions += transactions;
    this.#bytes += bytes;
  }

  turn(): void {
    const { options, application } = this.#server;
    const due =
      this.#transactions >= options.checkpointTransactions || this.#bytes >= options.checkpointBytes;
    if (due && this.#zxid === null) this.#begin(application.snapshot());
    if (this.#zxid !== null) this.#write(this.#zxid);
  }

  /** The state is replaced from elsewhere: a checkpoint of the old one is worth nothing. */
  abandon(): void {
    this.#reader?.close();
    this.#reader = null;
    this.#zxid = null;
    this.#underWay = [];
    this.#startCounting();
  }

  #begin(snapshot: Snapshot): void {
    this.#reader = new SnapshotReader(snapshot);
    // A transaction that is in the history but not executed is not in the state.
    const claimed =
      this.#server.mutant === "snapshot-without-last" ? this.#server.history.last : snapshot.zxid;
    this.#zxid = claimed;
    this.#startCounting();
  }

  #write(zxid: Zxid): void {
    const { journal, options } = this.#server;
    this.#underWay = this.#underWay.filter((place) => !journal.holds(place));
    while (this.#reader !== null && this.#underWay.length < options.checkpointChunks) {
      const { index, bytes, last } = this.#reader.read();
      this.#underWay.push(journal.append({ kind: "snapshot", zxid, replaces: "prefix", index, last, bytes }));
      if (last) this.#reader = null;
    }
    if (this.#reader === null && this.#underWay.length === 0) {
      this.#zxid = null;
      this.#server.tell({ kind: "checkpoint", zxid });
    }
  }

  #startCounting(): void {
    this.#transactions = 0;
    this.#bytes = 0;
  }
}
