/**
 * A disk in virtual time: what is appended is safe some time later, and a crash shows what it was worth.
 *
 * One sync is under way at a time; what is appended meanwhile goes with the next (group commit). Records stay
 * objects while the server lives. When it crashes, a prefix of them survives: all that is durable, and of the
 * rest some, the last of them perhaps cut in two. Those are written out as bytes, and the next life reads the
 * bytes.
 */

import type { Random } from "../../core/random.ts";
import type { LogRecord } from "../../core/record.ts";
import { recover } from "../../core/recovery.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import { NO_EPOCH, ZERO } from "../../core/zxid.ts";
import { encodeEntries, readLog } from "../log-format.ts";
import type { Agenda } from "./agenda.ts";
import type { Reopened, Storage, StorageUser } from "./storage.ts";

export interface DiskShape {
  /** How long a sync takes, on the average. */
  readonly sync: Duration;
  /**
   * The share of that which always passes; the rest is drawn from an exponential distribution. 0.8 if not
   * given.
   */
  readonly steady?: number;
  /** Unlimited when not given. */
  readonly bytesPerSecond?: number;
}

export type Breakage = "failing" | "torn";

const STEADY = 0.8;
/** Records encoded at once, so that the encoder's buffer stays small. */
const BATCH = 256;

export class Disk implements Storage {
  readonly #shape: DiskShape;
  readonly #agenda: Agenda;
  readonly #random: Random;
  #user: StorageUser | null = null;
  /** What earlier lives left. */
  #bytes: Uint8Array = new Uint8Array(0);
  /** What this life appended; the first `#durable` are safe, those up to `#syncing` are being made so. */
  #records: LogRecord[] = [];
  /** How many more this life appended than are kept: a snapshot stands for them. */
  #forgotten = 0;
  #durable = 0;
  #syncing = 0;
  #slowness = 1;
  #delay = 0;
  #full = false;
  #isHeld = false;
  /** A sync that would be over. */
  #over: (() => void) | null = null;
  /** What the next write meets, full or not. */
  #breakage: Breakage | null = null;

  constructor(shape: DiskShape, agenda: Agenda, random: Random) {
    this.#shape = shape;
    this.#agenda = agenda;
    this.#random = random;
  }

  /** Reads what is there and serves `user` from now on. */
  open(user: StorageUser): Reopened {
    const { records, end } = readLog(this.#bytes);
    if (end.kind === "damaged") return { ok: false, offset: end.offset, reason: end.reason };
    this.#bytes = this.#bytes.subarray(0, end.offset);
    this.#user = user;
    return { ok: true, recovered: recover(records) };
  }

  append(records: readonly LogRecord[]): void {
    for (const record of records) this.#records.push(record);
  }

  /** Nothing more is appended just now: what waits may be written together. */
  flush(): void {
    if (this.#user === null || this.#syncing > this.#durable || this.#records.length === this.#durable)
      return;
    const user = this.#user;
    const upTo = this.#records.length;
    this.#syncing = upTo;
    this.#agenda.after(this.#syncTime(), () =>
      this.#end(() => {
        if (this.#user !== user) return;
        if (this.#full) {
          user.failed("no space left on the disk");
          return;
        }
        if (this.#breakage !== null) {
          user.failed(MEANING[this.#breakage]);
          return;
        }
        const safe = upTo + this.#forgotten;
        this.#forgetUpTo(upTo);
        user.durable(safe);
        this.flush();
      }),
    );
  }

  #end(sync: () => void): void {
    if (this.#isHeld) this.#over = sync;
    else sync();
  }

  /** The process is gone: what was not yet safe survives in part. */
  crash(): void {
    this.#user = null;
    this.#over = null;
    const isTorn = this.#breakage === "torn" && this.#syncing > this.#durable;
    const unsafe = this.#full ? 0 : this.#records.length - this.#durable;
    const kept = this.#durable + this.#random.integer(0, isTorn && unsafe > 0 ? unsafe - 1 : unsafe);
    const pieces = [this.#bytes];
    for (let at = 0; at < kept; at += BATCH) {
      pieces.push(encodeEntries(this.#records.slice(at, Math.min(kept, at + BATCH))));
    }
    const next = this.#full ? undefined : this.#records[kept];
    if (next !== undefined && (isTorn || this.#random.chance(0.5))) {
      const entry = encodeEntries([next]);
      pieces.push(entry.subarray(0, this.#random.integer(1, entry.length - 1)));
    }
    this.#bytes = joined(pieces);
    this.#records = [];
    this.#durable = 0;
    this.#syncing = 0;
    this.#forgotten = 0;
  }

  /** Every sync takes `factor` times as long. */
  slow(factor: number): void {
    this.#slowness = factor;
  }

  /** Every sync takes so much longer. */
  delay(by: Duration): void {
    this.#delay = by;
  }

  /** From now on no sync ends, until this is over. */
  hold(held: boolean): void {
    this.#isHeld = held;
    const over = this.#over;
    if (held || over === null) return;
    this.#over = null;
    this.#agenda.after(microseconds(0), over);
  }

  /**
   * From now on a sync fails, and what it was to make safe is there in part or not at all; or the server dies
   * when the last of what is there is half written. Null: neither any more.
   */
  break(breakage: Breakage | null): void {
    this.#breakage = breakage;
  }

  /** From now on nothing becomes durable (or does again). */
  fill(full = true): void {
    this.#full = full;
  }

  /** A new, empty disk. Only between lives. */
  wipe(): void {
    this.#bytes = new Uint8Array(0);
  }

  /** Flips one bit of what is stored, at a share (0 to 1) of its length. Only between lives. */
  damage(share: number): void {
    if (this.#bytes.length === 0) return;
    this.#bytes = this.#bytes.slice();
    const at = Math.min(this.#bytes.length - 1, Math.floor(share * this.#bytes.length));
    this.#bytes[at] = (this.#bytes[at] as number) ^ 0x40;
  }

  /** Everything up to here is safe, and what a snapshot among it stands for need not be kept. */
  #forgetUpTo(safe: number): void {
    const isComplete = (record: LogRecord): boolean => record.kind === "snapshot" && record.last;
    let end = safe;
    while (end > this.#durable && !isComplete(this.#records[end - 1] as LogRecord)) end -= 1;
    const complete = end > this.#durable;
    this.#durable = safe;
    if (!complete) return;
    const kept = shortened([...readLog(this.#bytes).records, ...this.#records.slice(0, end)]);
    this.#bytes = new Uint8Array(0);
    this.#records = [...kept, ...this.#records.slice(end)];
    this.#forgotten += end - kept.length;
    this.#durable -= end - kept.length;
    this.#syncing = this.#durable;
  }

  #syncTime(): Duration {
    const { sync, steady = STEADY, bytesPerSecond } = this.#shape;
    const latency = sync === 0 ? 0 : sync * (steady + (1 - steady) * this.#random.exponential());
    const transfer = bytesPerSecond === undefined ? 0 : (this.#waitingBytes() / bytesPerSecond) * 1e6;
    return microseconds(this.#slowness * (latency + transfer) + this.#delay);
  }

  #waitingBytes(): number {
    let bytes = 0;
    for (const record of this.#records.slice(this.#durable, this.#syncing)) {
      bytes += ENTRY_HEAD;
      if (record.kind === "transaction") bytes += record.transaction.payload.length;
      else if (record.kind === "snapshot") bytes += record.bytes.length;
    }
    return bytes;
  }
}

/** The same knowledge in as few records as can hold it. */
function shortened(records: readonly LogRecord[]): LogRecord[] {
  const { promise, epoch, founder, snapshot, transactions } = recover(records);
  const kept: LogRecord[] = [];
  if (founder) kept.push({ kind: "founder" });
  if (promise !== null) kept.push({ kind: "promise", ...promise });
  if (epoch !== NO_EPOCH) kept.push({ kind: "epoch", epoch });
  const chunks = snapshot === null ? [] : [...snapshot.chunks];
  for (const [index, bytes] of chunks.entries()) {
    const last = index === chunks.length - 1;
    kept.push({ kind: "snapshot", zxid: snapshot?.zxid ?? ZERO, replaces: "all", index, last, bytes });
  }
  for (const transaction of transactions) kept.push({ kind: "transaction", transaction });
  return kept;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const MEANING: Readonly<Record<Breakage, string>> = {
  failing: "input/output error",
  torn: "killed in the middle of a write",
};
/** About what an entry costs besides its payload. */
const ENTRY_HEAD = 40;
