/** Records that will be written together, encoded as they come, with room for the batch's head in front. */

import type { LogRecord } from "../../../core/record.ts";
import { ZERO } from "../../../core/zxid.ts";
import { writeRecord } from "../../../wire/record.ts";
import { Writer } from "../../../wire/writer.ts";
import { BATCH_HEAD, PAGE, pageBehind, sealBatch } from "./segment.ts";

const ROOM = new Uint8Array(BATCH_HEAD);
const ZEROS = new Uint8Array(PAGE + BATCH_HEAD);
const LARGEST_BUFFER = 4 << 20;

/** The last promise, epoch and snapshot. */
export type Standing = Map<LogRecord["kind"], LogRecord>;

export class Batch {
  #writer = new Writer().bytes(ROOM);
  readonly standing: Standing = new Map();
  count = 0;
  highest = ZERO;

  get size(): number {
    return this.#writer.length;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /**
   * All that is to be written: what has gathered, and at the next page the end, over which the next one goes.
   */
  seal(first: number, salt: number): Uint8Array {
    const { size } = this;
    const bytes = this.#writer.bytes(ZEROS.subarray(0, pageBehind(size) - size + BATCH_HEAD)).view(0);
    sealBatch(bytes.subarray(0, size), first, salt);
    return bytes;
  }

  /** Empty again, with the same buffer; unless a stalled disk has made it a large one. */
  clear(): this {
    this.#writer = (this.size > LARGEST_BUFFER ? new Writer() : this.#writer.clear()).bytes(ROOM);
    this.standing.clear();
    this.count = 0;
    this.highest = ZERO;
    return this;
  }

  add(record: LogRecord): void {
    const start = this.#writer.length;
    writeRecord(this.#writer.u32(0), record);
    this.#writer.patchU32(start, this.#writer.length - start - 4);
    this.count += 1;
    this.#learn(record);
  }

  /** The same batch behind other records. */
  behind(records: Iterable<LogRecord>): Batch {
    const whole = new Batch();
    for (const record of records) whole.add(record);
    whole.#writer.bytes(this.#writer.view(BATCH_HEAD));
    whole.count += this.count;
    whole.highest = this.highest;
    for (const [kind, record] of this.standing) whole.standing.set(kind, record);
    return whole;
  }

  #learn(record: LogRecord): void {
    if (record.kind === "transaction") {
      const { zxid } = record.transaction;
      if (zxid > this.highest) this.highest = zxid;
    } else if (record.kind === "promise" || record.kind === "epoch" || record.kind === "founder") {
      this.standing.set(record.kind, record);
    } else if (record.kind === "snapshot") {
      // Said again in a later segment, it must not replace what came after it was said first.
      this.standing.set(record.kind, { ...record, replaces: "prefix" });
    }
  }
}
