/**
 * The newest part of a server's history, kept in memory: enough to bring a follower level without a snapshot.
 *
 * Think of a long paper strip of which only the end is kept. Every transaction has a number on the strip (its
 * ordinal, counted from the start of this life), and the strip is cut off at the old end from time to time:
 * never beyond what is not executed yet, nor beyond where someone still reads. `base` is the zxid just before
 * what is kept: the history up to it is known to have been there, but its transactions are not at hand.
 *
 * The strip lies in a ring whose size is a power of two, so that an ordinal's place is its low bits. Bytes
 * are kept as running sums: what lies between two places costs one subtraction.
 */

import { assert } from "../core/assert.ts";
import type { Transaction } from "../core/transaction.ts";
import { printZxid, type Zxid } from "../core/zxid.ts";

/** What a transaction costs beside its payload, roughly: an object here, a record's head on the disk. */
const OVERHEAD = 64;

const FIRST_SIZE = 256;

export class History {
  #base: Zxid;
  #last: Zxid;
  #start = 0;
  #end = 0;
  #ring: (Transaction | undefined)[] = Array.from({ length: FIRST_SIZE });
  /** Running sum of bytes after each transaction. */
  #sums = new Float64Array(FIRST_SIZE);
  /** Running sum before what is kept. */
  #forgotten = 0;

  constructor(base: Zxid, transactions: Iterable<Transaction> = []) {
    this.#base = base;
    this.#last = base;
    for (const transaction of transactions) this.push(transaction);
  }

  /** The zxid just before the first transaction kept: the one a snapshot ends with, or the last forgotten. */
  get base(): Zxid {
    return this.#base;
  }

  get last(): Zxid {
    return this.#last;
  }

  /** Ordinal of the first transaction kept. */
  get start(): number {
    return this.#start;
  }

  /** Ordinal that the next transaction will have. */
  get end(): number {
    return this.#end;
  }

  push(transaction: Transaction): void {
    const { zxid, payload } = transaction;
    // Asserted behind an `if`, here and in `at`: to make the message each time would cost more than the rest.
    if (zxid <= this.#last) assert(false, `${printZxid(zxid)} after ${printZxid(this.#last)}`);
    if (this.#end - this.#start === this.#ring.length) this.#grow();
    const place = this.#end & (this.#ring.length - 1);
    this.#sums[place] = this.bytesBefore(this.#end) + payload.length + OVERHEAD;
    this.#ring[place] = transaction;
    this.#end += 1;
    this.#last = zxid;
  }

  at(ordinal: number): Transaction {
    const transaction = this.#ring[ordinal & (this.#ring.length - 1)];
    if (transaction === undefined || ordinal < this.#start || ordinal >= this.#end) {
      assert(false, `ordinal ${ordinal} is not in the history`);
    }
    return transaction;
  }

  /** The zxid of the entry before `ordinal`. */
  zxidBefore(ordinal: number): Zxid {
    if (ordinal === this.#end) return this.#last;
    return ordinal === this.#start ? this.#base : this.at(ordinal - 1).zxid;
  }

  /** Ordinal of the first transaction kept that is newer than `zxid`, or `end`. */
  after(zxid: Zxid): number {
    if (zxid >= this.#last) return this.#end;
    let low = this.#start;
    let high = this.#end;
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

  /** Bytes of all that was pushed before `ordinal` in this life, forgotten or not. */
  bytesBefore(ordinal: number): number {
    if (ordinal === this.#start) return this.#forgotten;
    return this.#sums[(ordinal - 1) & (this.#ring.length - 1)] as number;
  }

  /** Bytes of the entries from one ordinal up to, without, another. */
  bytes(from: number, to: number): number {
    return this.bytesBefore(to) - this.bytesBefore(from);
  }

  /** Where a piece ends that starts at `from` and holds at most `bytes`, but at least one transaction. */
  pieceEnd(from: number, to: number, bytes: number): number {
    if (this.bytes(from, to) <= bytes) return to;
    let end = from + 1;
    while (end < to && this.bytes(from, end + 1) <= bytes) end += 1;
    return end;
  }

  slice(from: number, to: number): readonly Transaction[] {
    assert(from >= this.#start && to <= this.#end, "a slice of what is not in the history");
    const mask = this.#ring.length - 1;
    const first = from & mask;
    const beyond = first + (to - from);
    const slice = this.#ring.slice(first, beyond);
    if (beyond > this.#ring.length) slice.push(...this.#ring.slice(0, beyond & mask));
    return slice as Transaction[];
  }

  /** Drops every transaction after `zxid`, which must be in the history. */
  truncate(zxid: Zxid): void {
    assert(this.has(zxid), `nowhere to cut: ${printZxid(zxid)} is not in the history`);
    const end = this.after(zxid);
    this.#clear(end, this.#end);
    this.#end = end;
    this.#last = zxid;
  }

  /** All that was known is replaced by a state after `zxid`. */
  reset(zxid: Zxid): void {
    this.#clear(this.#start, this.#end);
    this.#forgotten = this.bytesBefore(this.#end);
    this.#start = this.#end;
    this.#base = zxid;
    this.#last = zxid;
  }

  /** Forgets the oldest until at most `bytes` are kept, but nothing from ordinal `keep` on. */
  trim(bytes: number, keep: number): void {
    const mask = this.#ring.length - 1;
    while (this.#start < keep && this.bytes(this.#start, this.#end) > bytes) {
      const place = this.#start & mask;
      this.#base = this.at(this.#start).zxid;
      this.#forgotten = this.#sums[place] as number;
      this.#ring[place] = undefined;
      this.#start += 1;
    }
  }

  #clear(from: number, to: number): void {
    for (let ordinal = from; ordinal < to; ordinal++) {
      this.#ring[ordinal & (this.#ring.length - 1)] = undefined;
    }
  }

  #grow(): void {
    const ring: (Transaction | undefined)[] = Array.from({
      length: this.#ring.length * 2,
    });
    const sums = new Float64Array(ring.length);
    for (let ordinal = this.#start; ordinal < this.#end; ordinal++) {
      const place = ordinal & (ring.length - 1);
      const old = ordinal & (this.#ring.length - 1);
      ring[place] = this.#ring[old];
      sums[place] = this.#sums[old] as number;
    }
    this.#ring = ring;
    this.#sums = sums;
  }
}
