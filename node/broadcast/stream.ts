/**
 * Sends one server the history, from wherever it is.
 *
 * A place and a window: what was sent last, and how much may be under way that is not on the other's disk.
 * Difference, live proposals and catching up after a stall are all "send what comes next, while there is
 * room". When the place has fallen out of what is kept in memory, a snapshot of the state jumps over the gap
 * and the stream goes on behind it.
 *
 * Where to begin: the two histories agree up to z, the largest zxid of the sender's history that is not above
 * the receiver's last one. If z is of the receiver's last epoch a, it has z, for an epoch has one leader, who
 * counts without gaps. If z is of an earlier epoch, the sender has nothing of epoch a; but transactions of a
 * exist, so a was established: a quorum holds its initial history, whoever sends has found the newest history
 * of a quorum, and thus begins with it, and what it has beyond is of epoch a or later. So z is the end of a's
 * initial history, which the receiver has.
 */

import type { ServerId } from "../core/identity.ts";
import { printZxid, type Zxid, ZERO } from "../core/zxid.ts";
import type { Fault, ServerState } from "./server-state.ts";
import { SnapshotReader } from "./snapshot-reader.ts";

export class Stream {
  readonly to: ServerId;
  /** How the receiver is brought level, for stories. */
  how: "diff" | "truncate" | "snapshot" = "diff";
  /** Everything sent so far, chunks of snapshots included. */
  bytes = 0;
  readonly #server: ServerState;
  /** Ordinal of the next transaction to send. */
  #next = 0;
  /** The zxid up to which everything was sent, and up to which it is on the other's disk. */
  #sent: Zxid = ZERO;
  #stored: Zxid = ZERO;
  /** The history's bytes up to what is stored. */
  #storedBytes = 0;
  #reader: SnapshotReader | null = null;
  #chunksSent = 0;
  #chunksTaken = 0;

  constructor(server: ServerState, to: ServerId, since: Zxid) {
    this.#server = server;
    this.to = to;
    const { history } = server;
    if (since < history.base) {
      this.#beginSnapshot();
      return;
    }
    const common = history.zxidBefore(history.after(since));
    this.#beginAt(common);
    if (common < since) this.how = "truncate";
    server.send(to, { kind: "truncate", to: common });
  }

  /** The ordinal from which on the history is needed. */
  get next(): number {
    return this.#next;
  }

  /** The zxid up to which everything was sent, or null while a snapshot is not sent to its end. */
  get sent(): Zxid | null {
    return this.#reader === null ? this.#sent : null;
  }

  get atEnd(): boolean {
    return this.#reader === null && this.#next === this.#server.history.end;
  }

  /** A snapshot is under way: what comes behind it must be kept, or another one would have to follow. */
  get sendsSnapshot(): boolean {
    return this.#reader !== null || this.#chunksTaken < this.#chunksSent;
  }

  /** May more be sent? The window is overrun by one proposal at most, so that a large one passes too. */
  get hasRoom(): boolean {
    const { history, options } = this.#server;
    if (this.#reader !== null || this.#next < history.start) return false;
    return history.bytesBefore(this.#next) - this.#storedBytes < options.windowBytes;
  }

  /** The caller has sent the transactions up to ordinal `to` itself, together with others who are as far. */
  passed(to: number): void {
    const { history } = this.#server;
    this.bytes += history.bytes(this.#next, to);
    this.#next = to;
    this.#sent = history.zxidBefore(to);
  }

  /** Sends as much as there is room for. */
  pump(): void {
    const { history, options } = this.#server;
    if (this.#next < history.start && this.#isIdle) this.#beginSnapshot();
    if (this.#reader !== null) this.#sendChunks(this.#reader);
    while (this.hasRoom && this.#next < history.end) {
      const to = history.pieceEnd(this.#next, history.end, options.proposeBytes);
      this.#server.send(this.to, { kind: "propose", transactions: history.slice(this.#next, to) });
      this.passed(to);
    }
  }

  /** The other has everything up to `zxid` on its disk. */
  stored(zxid: Zxid): Fault {
    if (zxid > this.#sent) return `it has ${printZxid(zxid)}, which it was not sent`;
    if (zxid <= this.#stored) return null;
    this.#stored = zxid;
    const { history } = this.#server;
    // What was forgotten since it was sent cannot be measured, and need not be: more is stored soon.
    if (zxid >= history.base) this.#storedBytes = history.bytesBefore(history.after(zxid));
    return null;
  }

  /** The other has taken in a chunk. */
  taken(index: number): Fault {
    const expected = this.#chunksTaken < this.#chunksSent && this.#chunksTaken === index;
    if (!expected) return `it took chunk ${index} out of order`;
    this.#chunksTaken += 1;
    return null;
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  /** The other has all that it was sent. While it does not, the state for it would only age. */
  get #isIdle(): boolean {
    return !this.sendsSnapshot && this.#stored === this.#sent;
  }

  #beginAt(zxid: Zxid): void {
    const { history } = this.#server;
    this.#next = history.after(zxid);
    this.#sent = zxid;
    this.#stored = zxid;
    this.#storedBytes = history.bytesBefore(this.#next);
  }

  #beginSnapshot(): void {
    const { application, history, mutant } = this.#server;
    this.how = "snapshot";
    this.#reader = new SnapshotReader(application.snapshot());
    this.#chunksSent = 0;
    this.#chunksTaken = 0;
    this.#beginAt(mutant === "snapshot-without-last" ? history.last : this.#reader.zxid);
  }

  #sendChunks(reader: SnapshotReader): void {
    const { chunksUnderWay } = this.#server.options;
    while (this.#reader !== null && this.#chunksSent - this.#chunksTaken < chunksUnderWay) {
      const { index, bytes, last } = reader.read();
      this.#server.send(this.to, { kind: "snapshot", zxid: this.#sent, index, last, bytes });
      this.bytes += bytes.length;
      this.#chunksSent += 1;
      if (last) this.#reader = null;
    }
  }
}
