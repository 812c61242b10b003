/**
 * What earlier lives left in the directory, read from the first segment to the last.
 *
 * The log decides. A snapshot counts if the log says that it was installed; in the log, the one chunk of a
 * snapshot is the number of its file. What a crash left half done (an unfinished file, a segment made ready
 * and never written, a snapshot before the log knew of it, the torn end of the last batch) is cleared away.
 */

import type { LogRecord, Recovered } from "../../../core/record.ts";
import { recover } from "../../../core/recovery.ts";
import { type Zxid, ZERO } from "../../../core/zxid.ts";
import { decodeRecord } from "../../../wire/record.ts";
import { Damage } from "./damage.ts";
import type { Disk } from "./disk.ts";
import { type LogPosition, type SegmentSummary, SPARE } from "./log.ts";
import { decodeSegmentHead, readSegment, segmentName, segmentNumber } from "./segment.ts";
import { readSnapshot, SnapshotDamage, snapshotName, snapshotNumber, UNFINISHED } from "./snapshot-file.ts";

export interface Found {
  readonly recovered: Recovered;
  readonly position: LogPosition;
  /** The file of the snapshot that counts. */
  readonly installed: number | null;
  readonly nextSnapshot: number;
  /** For the log: bytes of an unfinished write that were cut off. */
  readonly cut: number;
}

/** The number of a file. */
const MARK_BYTES = 4;

type SnapshotRecord = Extract<LogRecord, { kind: "snapshot" }>;

/** How the log speaks of a snapshot: as of one whose only chunk is the number of its file. */
export function snapshotMark(zxid: Zxid, replaces: "prefix" | "all", number: number): SnapshotRecord {
  const bytes = new Uint8Array(MARK_BYTES);
  new DataView(bytes.buffer).setUint32(0, number);
  return { kind: "snapshot", zxid, replaces, index: 0, last: true, bytes };
}

const isMark = ({ index, last, bytes }: SnapshotRecord): boolean =>
  index === 0 && last && bytes.length === MARK_BYTES;

const markedFile = ({ bytes }: SnapshotRecord): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);

export async function findWhatIsThere(disk: Disk): Promise<Found> {
  for (const name of disk.names()) {
    if (name.endsWith(UNFINISHED) || name.endsWith(SPARE)) await disk.remove(name);
  }
  const reading = new LogReading(disk);
  const folded = recover(reading.records());
  const { mark } = reading;
  const cut = await reading.clear();
  const standing: LogRecord[] = [{ kind: "epoch", epoch: folded.epoch }];
  if (folded.founder) standing.push({ kind: "founder" });
  if (folded.promise !== null) standing.push({ kind: "promise", ...folded.promise });
  if (mark !== null) standing.push({ ...mark, replaces: "prefix" });
  return {
    recovered: { ...folded, snapshot: mark && { zxid: mark.zxid, chunks: snapshotChunks(disk, mark) } },
    position: { ...reading.position(), standing },
    installed: mark && markedFile(mark),
    nextSnapshot: await clearSnapshots(disk, mark),
    cut,
  };
}

/** Removes the snapshots that do not count, and returns a number that none has. */
async function clearSnapshots(disk: Disk, mark: SnapshotRecord | null): Promise<number> {
  const marked = mark === null ? 0 : markedFile(mark);
  const numbers = disk.names().flatMap((name) => snapshotNumber(name) ?? []);
  for (const number of numbers) if (number !== marked) await disk.remove(snapshotName(number));
  return Math.max(marked, ...numbers) + 1;
}

/** Can be read more than once, each time from the file. */
function snapshotChunks(disk: Disk, mark: SnapshotRecord): Iterable<Uint8Array> {
  const number = markedFile(mark);
  const name = snapshotName(number);
  if (!disk.names().includes(name)) {
    throw new Damage(disk.directory, name, 0, "this file is missing, although the log needs it");
  }
  return {
    *[Symbol.iterator]() {
      const reader = disk.open(name);
      try {
        yield* readSnapshot(reader, number, mark.zxid);
      } catch (error) {
        if (!(error instanceof SnapshotDamage)) throw error;
        throw new Damage(disk.directory, name, error.offset, error.message);
      } finally {
        reader.close();
      }
    },
  };
}

/**
 * One pass over all segments; what it remembers of them is complete when `records` has been read to its end.
 */
class LogReading {
  readonly #disk: Disk;
  readonly #segments: SegmentSummary[] = [];
  /** Behind the others: made ready and never written, or not yet when the power went. */
  readonly #empty: SegmentSummary[] = [];
  #torn: { readonly name: string; readonly offset: number; readonly size: number } | null = null;
  #nextEntry: number | null = null;
  /** What was written last. */
  #last: { readonly first: number; readonly records: readonly LogRecord[] } | null = null;
  /** The last snapshot that the log says was installed. */
  mark: SnapshotRecord | null = null;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  *records(): Generator<LogRecord> {
    const numbers = this.#disk.names().flatMap((name) => segmentNumber(name) ?? []);
    numbers.sort((a, b) => a - b);
    let expected = numbers[0] ?? 1;
    for (const number of numbers) {
      if (number !== expected)
        throw this.#damage(segmentName(expected), 0, "this part of the log is missing");
      expected += 1;
      yield* this.#segment(number);
    }
  }

  position(): Omit<LogPosition, "standing"> {
    return {
      segments: this.#segments,
      nextSegment: (this.#segments.at(-1)?.number ?? 0) + 1,
      nextEntry: this.#nextEntry ?? 0,
      last: this.#last?.records ?? [],
    };
  }

  /** Cuts off the write that a crash tore, so that this segment is as good as any other from now on. */
  async clear(): Promise<number> {
    if (this.#torn !== null) await this.#disk.truncate(this.#torn.name, this.#torn.offset);
    for (const { number } of this.#empty.toReversed()) await this.#disk.remove(segmentName(number));
    return this.#torn === null ? 0 : this.#torn.size - this.#torn.offset;
  }

  #segment(number: number): readonly LogRecord[] {
    const name = segmentName(number);
    const bytes = readWhole(this.#disk, name);
    const head = decodeSegmentHead(bytes);
    if (head?.number !== number)
      throw this.#damage(name, 0, "the head of this part of the log is unreadable");
    const records: LogRecord[] = [];
    let highest = ZERO;
    let isEmpty = true;
    const places = { expected: this.#nextEntry, repeated: this.#last?.first ?? null };
    const end = readSegment(bytes, head, places, ({ first, entries }) => {
      const decoded = entries.map((entry) => this.#decode(name, entry));
      // What a life repeats of the one before was read there, if it could be.
      if (first !== this.#last?.first) records.push(...decoded);
      this.#last = { first, records: decoded };
      this.#nextEntry = first + entries.length;
      highest = Math.max(highest, this.#learn(decoded)) as Zxid;
      isEmpty = false;
    });
    if (end.tail === "damaged") throw this.#goesOn(isEmpty && this.#torn ? this.#torn : { ...end, name });
    this.#empty.push({ number, highest, size: bytes.length });
    if (!isEmpty) {
      // Where the numbers go on, nothing is missing.
      this.#torn = null;
      this.#segments.push(...this.#empty.splice(0));
    }
    if (end.tail === "torn") this.#torn = { name, offset: end.offset, size: bytes.length };
    return records;
  }

  #learn(records: readonly LogRecord[]): Zxid {
    let highest = ZERO;
    for (const record of records) {
      if (record.kind === "snapshot") this.mark = record;
      if (record.kind === "transaction" && record.transaction.zxid > highest)
        highest = record.transaction.zxid;
    }
    return highest;
  }

  #decode(name: string, entry: Uint8Array): LogRecord {
    const decoded = decodeRecord(entry);
    if (!decoded.ok)
      throw this.#damage(name, entry.byteOffset, `a record that nobody can have written: ${decoded.reason}`);
    if (decoded.value.kind === "snapshot" && !isMark(decoded.value))
      throw this.#damage(name, entry.byteOffset, "a snapshot in the log that names no file");
    return decoded.value;
  }

  #goesOn({ name, offset }: { readonly name: string; readonly offset: number }): Damage {
    return this.#damage(name, offset, "unreadable, although the log goes on after it");
  }

  #damage(name: string, offset: number, what: string): Damage {
    return new Damage(this.#disk.directory, name, offset, what);
  }
}

function readWhole(disk: Disk, name: string): Uint8Array {
  const reader = disk.open(name);
  try {
    return reader.read(0, reader.size);
  } finally {
    reader.close();
  }
}
