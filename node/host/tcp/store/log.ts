/**
 * The log: records in, batches out, one write under way at a time.
 *
 * While the disk is busy with one batch, whatever is appended gathers in the next; nobody waits longer than
 * two writes, and the busier the server, the more travel together. Writes go over what was written before:
 * when a file grows, the file system has its own books to keep, and one write costs twice as much. The next
 * segment is made ready in the background while the current one fills: from a spare, which is an old segment
 * that nobody needs any more, or else from zeros, so that each byte of the log is written twice only until
 * the first checkpoint.
 *
 * Each segment begins with the promise, the epoch and the snapshot that stand, so that older segments can be
 * thrown away without being read. The first one of a life begins with the last write of the lives before once
 * more: it was there to be read, but perhaps in the kernel's memory alone, when a killed process had not
 * heard yet that the disk had it, or had heard that the disk failed. Only now it is certain.
 */

import type { LogRecord } from "../../../core/record.ts";
import type { Mutant } from "../../../core/mutant.ts";
import { type Zxid, ZERO } from "../../../core/zxid.ts";
import { Batch, type Standing } from "./batch.ts";
import type { Disk, DiskFile } from "./disk.ts";
import { BATCH_HEAD, encodeSegmentHead, PAGE, pageBehind, segmentName } from "./segment.ts";
import { UNFINISHED } from "./snapshot-file.ts";

/** Behind the name of a segment that was let go. */
export const SPARE = ".spare";
/** What 100,000 transactions of 1 kB fill, which is what a checkpoint lets go. */
const MOST_SPARES = 8;

/**
 * A life begins with a small segment, which is ready after a millisecond or two, and each next one is twice
 * as large, up to what lasts a busy server half a second.
 */
export const SEGMENT_SIZES = { first: 1 << 20, largest: 16 << 20 };
const ZEROS = new Uint8Array(1 << 20);

export interface LogOptions {
  /** A random number of 32 bits for every file. */
  readonly salt: () => number;
  readonly segmentSizes?: { readonly first: number; readonly largest: number };
  readonly mutant?: Mutant | null;
}

/** What is known of a segment without reading it. */
export interface SegmentSummary {
  readonly number: number;
  readonly highest: Zxid;
  readonly size: number;
}

/** Where earlier lives ended, and what of theirs still stands. */
export interface LogPosition {
  readonly segments: readonly SegmentSummary[];
  readonly nextSegment: number;
  readonly nextEntry: number;
  readonly standing: readonly LogRecord[];
  /** The records of the last write. */
  readonly last: readonly LogRecord[];
}

interface OpenSegment {
  readonly number: number;
  readonly salt: number;
  readonly size: number;
  readonly file: DiskFile;
}

export class Log {
  readonly #disk: Disk;
  readonly #salt: () => number;
  readonly #largest: number;
  readonly #mutant: Mutant | null;
  readonly #failed: (error: unknown) => void;
  /** As of the last batch that was written: what is still being gathered must not overtake it. */
  readonly #standing: Standing = new Map();
  #older: SegmentSummary[];
  /** Names of what is to be written over. */
  readonly #spares: string[] = [];
  #current: OpenSegment;
  #highest = ZERO;
  #offset = PAGE;
  #next: Promise<OpenSegment | null>;
  #nextEntry: number;
  /** Gathers what is appended, while the other one is being written. */
  #batch: Batch = new Batch();
  #spare: Batch = new Batch();
  #waiting: (() => void)[] = [];
  #writing: Promise<void> | null = null;

  /**
   * Makes the first segment of this life ready. `failed` is called at most once, and nothing is written after
   * it.
   */
  static async open(
    disk: Disk,
    position: LogPosition,
    failed: (error: unknown) => void,
    options: LogOptions,
  ): Promise<Log> {
    const { segmentSizes: sizes = SEGMENT_SIZES, mutant = null } = options;
    const file = { number: position.nextSegment, salt: options.salt(), size: sizes.first };
    const first = await prepare(disk, file, null, mutant);
    const log = new Log(disk, position, first, failed, options);
    try {
      if (mutant !== "last-write-not-repeated") await log.#repeat(position);
    } catch (error) {
      await log.close();
      throw error;
    }
    return log;
  }

  private constructor(
    disk: Disk,
    position: LogPosition,
    first: OpenSegment,
    failed: (error: unknown) => void,
    { salt, segmentSizes: sizes = SEGMENT_SIZES, mutant = null }: LogOptions,
  ) {
    this.#disk = disk;
    this.#salt = salt;
    this.#largest = sizes.largest;
    this.#mutant = mutant;
    this.#failed = failed;
    this.#older = [...position.segments];
    this.#nextEntry = position.nextEntry;
    this.#current = first;
    this.#next = this.#prepareNext();
    for (const record of position.standing) this.append(record);
  }

  /** What the last life wrote last, under the numbers that it has. */
  async #repeat({ last, nextEntry }: LogPosition): Promise<void> {
    const batch = new Batch();
    for (const record of last) batch.add(record);
    this.#nextEntry = nextEntry - last.length;
    await this.#write(batch);
  }

  append(record: LogRecord): void {
    this.#batch.add(record);
  }

  /** Everything appended so far goes to the disk, as soon as the disk is free; `done` when it is there. */
  flush(done: () => void): void {
    this.#waiting.push(done);
    this.#writing ??= this.#drain();
  }

  /** Lets go the segments that hold nothing after `zxid`; oldest first, so that a crash leaves no gap. */
  async forget(zxid: Zxid): Promise<void> {
    const spares: string[] = [];
    let oldest = this.#older[0];
    while (oldest !== undefined && oldest.highest <= zxid) {
      this.#older.shift();
      const name = segmentName(oldest.number);
      if (oldest.size === this.#largest && this.#spares.length + spares.length < MOST_SPARES) {
        await this.#disk.rename(name, name + SPARE);
        spares.push(name + SPARE);
      } else await this.#disk.remove(name);
      oldest = this.#older[0];
    }
    if (spares.length === 0) return;
    // Were one written over while its old name could come back, the log would seem damaged.
    await this.#disk.sync();
    this.#spares.push(...spares);
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#current.file.close();
    await (await this.#next)?.file.close();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const done = this.#waiting;
      const batch = this.#batch;
      this.#waiting = [];
      this.#batch = this.#spare.clear();
      try {
        // Also makes sure that nobody is called back from within `flush`.
        await this.#write(batch);
      } catch (error) {
        // `#writing` stays, so that nothing is ever written, or said to be, behind a write that failed: what
        // the kernel dropped with it is not known (after a failed fsync, Linux marks the pages clean).
        if (this.#mutant !== "failure-not-final") {
          this.#failed(error);
          return;
        }
      }
      this.#spare = batch;
      for (const report of done) report();
    }
    this.#writing = null;
  }

  async #write(batch: Batch): Promise<void> {
    if (batch.isEmpty) return;
    let whole = batch;
    if (this.#offset > PAGE && pageBehind(this.#offset + batch.size) + BATCH_HEAD > this.#current.size) {
      await this.#roll();
      whole = batch.behind(this.#standing.values());
    }
    const { size } = whole;
    await this.#current.file.write(whole.seal(this.#nextEntry, this.#current.salt), this.#offset);
    this.#offset = pageBehind(this.#offset + size);
    this.#nextEntry += whole.count;
    if (whole.highest > this.#highest) this.#highest = whole.highest;
    for (const [kind, record] of whole.standing) this.#standing.set(kind, record);
  }

  async #roll(): Promise<void> {
    // When there was no room in the background, there may be by now; this time it must succeed.
    const next = (await this.#next) ?? (await this.#prepare(this.#current.number + 1));
    await this.#current.file.close();
    this.#older.push({ number: this.#current.number, highest: this.#highest, size: this.#current.size });
    this.#current = next;
    this.#highest = ZERO;
    this.#offset = PAGE;
    this.#next = this.#prepareNext();
  }

  #prepareNext(): Promise<OpenSegment | null> {
    return this.#prepare(this.#current.number + 1).catch(() => null);
  }

  #prepare(number: number): Promise<OpenSegment> {
    const size = Math.min(2 * this.#current.size, this.#largest);
    const spare = size === this.#largest ? (this.#spares.pop() ?? null) : null;
    return prepare(this.#disk, { number, salt: this.#salt(), size }, spare, this.#mutant);
  }
}

/**
 * Under its own name there is only ever a segment that is ready: whatever else it holds, its head is sound.
 */
async function prepare(
  disk: Disk,
  { number, salt, size }: Omit<OpenSegment, "file">,
  spare: string | null,
  mutant: Mutant | null,
): Promise<OpenSegment> {
  const name = segmentName(number);
  const unfinished = spare ?? name + UNFINISHED;
  const file = await disk.create(unfinished, spare === null ? "through" : "over");
  try {
    for (let at = 0; at < size && spare === null; at += ZEROS.length) {
      await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, size - at)), at);
    }
    await file.write(encodeSegmentHead({ number, salt }), 0);
    await disk.rename(unfinished, name);
    if (mutant !== "folder-not-synced") await disk.sync();
  } catch (error) {
    await file.close();
    throw error;
  }
  return { number, salt, size, file };
}
