/**
 * The disk of one server, as its host uses it: records go in, and some time later so many of them are
 * durable.
 *
 * Snapshots take another way than the rest. Their chunks go into a file of their own, and when all of it is
 * on the disk the log says so with one small record. A checkpoint of the own state says nothing new, so what
 * comes after it is written meanwhile; a snapshot that replaces the history does, so what comes after it
 * waits. Snapshots are installed in the order in which they were appended. In either case `durable` passes a
 * chunk only when its file has it, and the last one only when the log has the record.
 */

import { assert } from "../../../core/assert.ts";
import type { LogRecord, Recovered } from "../../../core/record.ts";
import type { Zxid } from "../../../core/zxid.ts";
import type { Disk } from "./disk.ts";
import { Log, type LogOptions } from "./log.ts";
import { type Found, findWhatIsThere, snapshotMark } from "./recovery.ts";
import { SnapshotFile, snapshotName } from "./snapshot-file.ts";

export interface StoreOptions extends LogOptions {
  readonly disk: Disk;
  /** The first `upTo` records of this life are durable. Never called from within a method of the store. */
  readonly durable: (upTo: number) => void;
  /**
   * The disk failed: nothing is durable any more from here on. Called at most once; `reason` is for people.
   */
  readonly failed: (reason: string) => void;
}

type SnapshotRecord = Extract<LogRecord, { kind: "snapshot" }>;

export class Store {
  readonly recovered: Recovered;
  /** Bytes of a write that a crash interrupted, cut off at the end of the log. */
  readonly cut: number;
  readonly #options: StoreOptions;
  readonly #log: Log;
  #snapshot: SnapshotFile | null = null;
  #snapshotNumber: number;
  /** The number of an installed snapshot's file, to be removed when the next is installed. */
  #installed: number | null;
  /** Fulfilled when every snapshot that is whole is in the log. */
  #installs: Promise<void> = Promise.resolve();
  #appended = 0;
  #written = 0;
  #reported = 0;
  /** Positions of snapshot chunks that are not durable yet, in ascending order. */
  readonly #pending = new Set<number>();
  /** What was appended behind a snapshot that replaces the history. */
  #held: LogRecord[] | null = null;
  #failure: string | null = null;

  /** Reads what is there and makes the disk ready. Rejects with `Damage`, or with what the disk says. */
  static async open(options: StoreOptions): Promise<Store> {
    const found = await findWhatIsThere(options.disk);
    let failed: (error: unknown) => void = () => {};
    const log = await Log.open(options.disk, found.position, (error) => failed(error), options);
    const store = new Store(options, found, log);
    failed = (error) => store.#fail(error);
    return store;
  }

  private constructor(options: StoreOptions, found: Found, log: Log) {
    this.#options = options;
    this.#log = log;
    this.#installed = found.installed;
    this.#snapshotNumber = found.nextSnapshot;
    this.recovered = found.recovered;
    this.cut = found.cut;
  }

  append(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (this.#held === null) this.#take(record);
      else this.#held.push(record);
    }
  }

  /** What was appended goes to the disk now, together. */
  flush(): void {
    const position = this.#appended;
    this.#log.flush(() => {
      this.#written = position;
      this.#report();
    });
  }

  /** Waits for the write that is under way; what was appended and not flushed is lost. */
  async close(): Promise<void> {
    this.#failure ??= "closed";
    await this.#snapshot?.abandon().catch(() => {});
    await this.#log.close();
  }

  #take(record: LogRecord): void {
    this.#appended += 1;
    if (record.kind === "snapshot") this.#takeChunk(record, this.#appended);
    else this.#log.append(record);
  }

  #takeChunk(record: SnapshotRecord, position: number): void {
    const { disk, salt, mutant } = this.#options;
    if (record.index === 0) {
      this.#snapshot?.abandon().catch((error: unknown) => this.#fail(error));
      this.#snapshot = new SnapshotFile(disk, this.#snapshotNumber++, salt(), record.zxid);
    }
    assert(this.#snapshot !== null, `chunk ${record.index} of a snapshot that did not begin`);
    const file = this.#snapshot;
    this.#pending.add(position);
    if (record.last) this.#snapshot = null;
    if (record.last && record.replaces === "all" && mutant !== "nothing-held-back") this.#held = [];
    const written = file.write(record.bytes, record.last);
    // Of two files under way the later may be whole first; but what the log says last is what counts.
    const done = record.last
      ? (this.#installs = Promise.all([written, mutant === "installs-overtake" ? null : this.#installs]).then(
          () => this.#install(file, record, position),
        ))
      : written.then(() => this.#passed(position));
    done.catch((error: unknown) => this.#fail(error));
  }

  /** The snapshot is on the disk: now the log says so, and when that is durable, what it replaces can go. */
  #install({ number }: SnapshotFile, { zxid, replaces }: SnapshotRecord, position: number): void {
    const superseded = this.#installed;
    this.#installed = number;
    this.#log.append(snapshotMark(zxid, replaces, number));
    this.#log.flush(() => {
      this.#passed(position);
      this.#forget(zxid, superseded).catch((error: unknown) => this.#fail(error));
    });
    if (replaces === "all") this.#release();
    this.flush();
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.append(held);
  }

  async #forget(zxid: Zxid, superseded: number | null): Promise<void> {
    await this.#log.forget(zxid);
    if (superseded !== null) await this.#options.disk.remove(snapshotName(superseded));
  }

  #passed(position: number): void {
    this.#pending.delete(position);
    this.#report();
  }

  #report(): void {
    if (this.#failure !== null) return;
    const [oldest = Infinity] = this.#pending;
    const upTo = Math.min(this.#written, oldest - 1);
    if (upTo <= this.#reported) return;
    this.#reported = upTo;
    // By itself: what goes wrong in whoever hears of it is no failure of the disk.
    queueMicrotask(() => {
      if (this.#failure === null) this.#options.durable(upTo);
    });
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = error instanceof Error ? error.message : String(error);
    this.#options.failed(`${this.#options.disk.directory}: ${this.#failure}`);
  }
}
