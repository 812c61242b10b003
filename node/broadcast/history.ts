/**
 * The newest part of a server's history, kept in memory: enough to bring a follower level without a snapshot.
 *
 * Think of a long paper strip of which only the end is kept. Every transaction has a number on the strip (its ordinal,
 * counted from the start of this life), and the strip is cut off at the old end from time to time: never beyond what is
 * not executed yet, nor beyond where someone still reads. `base` is the zxid just before what is kept: the history up to
 * it is known to have been there, but its transactions are not at hand.
 *
 * Bytes are kept as running sums, so that what lies between two places costs one subtraction.
 */

import { assert } from "../core/assert.ts";
import type { Transaction } from "../core/transaction.ts";
import { printZxid, type Zxid } from "../core/zxid.ts";

/** What a transaction costs beside its payload, roughly: an object here, a record's head on the disk. */
const OVERHEAD = 64;

/** Below this many forgotten entries at the front, moving the rest is not worth it. */
const COMPACTION = 1024;

export class History {
  #base: Zxid;
  /** Ordinal of the entry at place 0 of both arrays. */
  #offset = 0;
  /** Places before this one are forgotten, and wait for the next compaction. */
  #head = 0;
  #transactions: (Transaction | undefined)[] = [];
  /** Running sum of bytes after each entry. */
  #sums: number[] = [];
  /** Running sum at the start of what is kept. */
  #forgotten = 0;

  constructor(base: Zxid, transactions: Iterable<Transaction> = []) {
    this.#base = base;
    for (const transaction of transactions) this.push(transaction);
  }

  /** The zxid just before the first transaction kept: the one a snapshot ends with, or the last forgotten. */
  get base(): Zxid {
    return this.#base;
  }

  get last(): Zxid {
    return this.#transactions[this.#transactions.length - 1]?.zxid ?? this.#base;
  }

  /** Ordinal of the first transaction kept. */
  get start(): number {
    return this.#offset + this.#head;
  }

  /** Ordinal that the next transaction will have. */
  get end(): number {
    return this.#offset + this.#transactions.length;
  }

  push(transaction: Transaction): void {
    assert(transaction.zxid > this.last, `${printZxid(transaction.zxid)} after ${printZxid(this.last)}`);
    this.#sums.push(this.#sumBefore(this.end) + transaction.payload.length + OVERHEAD);
    this.#transactions.push(transaction);
  }

  at(ordinal: number): Transaction {
    const transaction = this.#transactions[ordinal - this.#offset];
    assert(transaction !== undefined && ordinal >= this.start, `ordinal ${ordinal} is not in the history`);
    return transaction;
  }

  /** The zxid of the entry before `ordinal`. */
  zxidBefore(ordinal: number): Zxid {
    return ordinal === this.start ? this.#base : this.at(ordinal - 1).zxid;
  }

  /** Ordinal of the first transaction kept that is newer than `zxid`, or `end`. */
  after(zxid: Zxid): number {
    if (zxid >= this.last) return this.end;
    let low = this.start;
    let high = this.end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(middle).zxid <= zxid) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Is `zxid` a place of this history from which one can go on? */
  has(zxid: Zxid): boolean {
    return zxid >= this.#base && this.zxidBefore(this.after(zxid)) === zxid;
  }

  /** Bytes of the entries from one ordinal up to, without, another. */
  bytes(from: number, to: number): number {
    return this.#sumBefore(to) - this.#sumBefore(Math.max(from, this.start));
  }

  /** Where a piece ends that starts at `from` and holds at most `bytes`, but at least one transaction. */
  pieceEnd(from: number, to: number, bytes: number): number {
    if (this.bytes(from, to) <= bytes) return to;
    let end = from + 1;
    while (end < to && this.bytes(from, end + 1) <= bytes) end += 1;
    return end;
  }

  slice(from: number, to: number): readonly Transaction[] {
    assert(from >= this.start, `ordinal ${from} is not in the history any more`);
    return this.#transactions.slice(from - this.#offset, to - this.#offset) as Transaction[];
  }

  /** Drops every transaction after `zxid`, which must be in the history. */
  truncate(zxid: Zxid): void {
    assert(this.has(zxid), `nowhere to cut: ${printZxid(zxid)} is not in the history`);
    const place = this.after(zxid) - this.#offset;
    this.#transactions.length = place;
    this.#sums.length = place;
  }

  /** All that was known is replaced by a state after `zxid`. */
  reset(zxid: Zxid): void {
    this.#offset = this.end;
    this.#forgotten = 0;
    this.#head = 0;
    this.#transactions = [];
    this.#sums = [];
    this.#base = zxid;
  }

  /** Forgets the oldest until at most `bytes` are kept, but nothing from ordinal `keep` on. */
  trim(bytes: number, keep: number): void {
    const before = this.#head;
    const most = keep - this.#offset;
    while (this.#head < most && this.bytes(this.start, this.end) > bytes) {
      this.#base = this.at(this.start).zxid;
      this.#forgotten = this.#sums[this.#head] as number;
      this.#transactions[this.#head] = undefined;
      this.#head += 1;
    }
    if (this.#head !== before) this.#compact();
  }

  #compact(): void {
    if (this.#head < COMPACTION || this.#head * 2 < this.#transactions.length) return;
    this.#transactions = this.#transactions.slice(this.#head);
    this.#sums = this.#sums.slice(this.#head);
    this.#offset += this.#head;
    this.#head = 0;
  }

  #sumBefore(ordinal: number): number {
    return ordinal === this.start ? this.#forgotten : (this.#sums[ordinal - this.#offset - 1] as number);
  }
}
