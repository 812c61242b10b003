/**
 * What goes to the disk, and how much of it is there.
 *
 * Records are gathered during a turn and leave together, so that one write carries them all. Each such batch
 * remembers where the history ended; once the disk reports the batch, everything up to there will survive a
 * crash.
 */

import type { LogRecord } from "../core/record.ts";
import type { Zxid } from "../core/zxid.ts";

export class Journal {
  /** Everything up to here, of the history as it is now, will survive a crash. */
  durableZxid: Zxid;
  #appended = 0;
  #durable = 0;
  #records: LogRecord[] = [];
  /** Batches under way: how many records there were at the end of each, and where the history ended. */
  #batches: { readonly count: number; readonly zxid: Zxid }[] = [];

  constructor(recovered: Zxid) {
    this.durableZxid = recovered;
  }

  /** Returns the place of the record, to ask `holds` about later. */
  append(record: LogRecord): number {
    this.#records.push(record);
    this.#appended += 1;
    return this.#appended;
  }

  holds(place: number): boolean {
    return place <= this.#durable;
  }

  /** The records of this turn; the history now ends at `last`. */
  take(last: Zxid): readonly LogRecord[] | null {
    if (this.#records.length === 0) return null;
    const records = this.#records;
    this.#records = [];
    this.#batches.push({ count: this.#appended, zxid: last });
    return records;
  }

  reached(upTo: number): void {
    this.#durable = upTo;
    let done = 0;
    for (const { count, zxid } of this.#batches) {
      if (count > upTo) break;
      this.durableZxid = zxid;
      done += 1;
    }
    if (done > 0) this.#batches.splice(0, done);
  }

  /** The history was cut back: what batches under way say about its end is no longer true. */
  truncated(to: Zxid): void {
    this.#batches = [];
    if (this.durableZxid > to) this.durableZxid = to;
  }
}
