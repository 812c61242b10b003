/**
 * The smallest service worth replicating: keys, values, versions.
 *
 * Its one subtle part is the snapshot. While one is being read, the first change of each entry puts the
 * entry's old value aside, so the reader sees the state as it was although writes go on; the cost is one old
 * value for each entry that changed meanwhile, and nothing when no snapshot is open.
 */

import type { ClientId } from "../../core/identity.ts";
import type { Restoration, Snapshot, StateMachine } from "../../core/machine.ts";
import type { Pieces } from "../../core/pieces.ts";
import { type TimeOfDay, timeOfDay } from "../../core/time.ts";
import type { Transaction } from "../../core/transaction.ts";
import { type Zxid, ZERO } from "../../core/zxid.ts";
import {
  decodeOperation,
  decodeQuery,
  encodeReply,
  readKey,
  readU32,
  writeKey,
  writeU32,
} from "./key-value-operation.ts";

interface Entry {
  readonly value: Uint8Array;
  readonly version: number;
}

export class KeyValueMachine implements StateMachine {
  #entries = new Map<string, Entry>();
  #applied: Zxid = ZERO;
  #time = 0 as TimeOfDay;
  readonly #snapshots = new Set<FrozenEntries>();

  get applied(): Zxid {
    return this.#applied;
  }

  get time(): TimeOfDay {
    return this.#time;
  }

  get bytes(): number {
    return [...this.#entries].reduce((sum, [key, { value }]) => sum + key.length + value.length, 0);
  }

  apply(transaction: Transaction): Uint8Array {
    this.#applied = transaction.zxid;
    this.#time = transaction.time;
    const operation = decodeOperation(transaction.payload);
    if (operation === null) return encodeReply("malformed");
    const { key } = operation;
    const old = this.#entries.get(key);
    const version = old?.version ?? 0;
    if (operation.kind === "remove") {
      this.#change(key, old, undefined);
      return encodeReply(old === undefined ? "no entry" : "ok", version);
    }
    if (operation.kind === "swap" && operation.version !== version)
      return encodeReply("wrong version", version);
    if (
      operation.kind === "raise" &&
      old !== undefined &&
      readU32(old.value, 0) > readU32(operation.value, 0)
    )
      return encodeReply("wrong version", version);
    this.#change(key, old, { value: operation.value, version: version + 1 });
    return encodeReply("ok", version + 1);
  }

  read(_client: ClientId, query: Uint8Array): Pieces {
    const key = decodeQuery(query);
    if (key === null) return [encodeReply("malformed")];
    const entry = this.#entries.get(key);
    return [entry === undefined ? encodeReply("no entry") : encodeReply("ok", entry.version, entry.value)];
  }

  snapshot(): Snapshot {
    const frozen = new FrozenEntries(this.#applied, this.#time, this.#entries, () =>
      this.#snapshots.delete(frozen),
    );
    this.#snapshots.add(frozen);
    return frozen;
  }

  restore(zxid: Zxid): Restoration {
    const entries = new Map<string, Entry>();
    let time: TimeOfDay | null = null;
    return {
      accept(chunk) {
        if (time !== null) return readEntries(chunk, entries);
        time = readTime(chunk);
        return time === null ? "it begins without a time of day" : null;
      },
      finish: () => {
        if (time === null) return "nothing of it came";
        for (const open of this.#snapshots) open.close();
        this.#time = time;
        this.#entries = entries;
        this.#applied = zxid;
        return null;
      },
    };
  }

  /** Two sums over the entries, so that the order in which they came to be does not matter. */
  digest(): string {
    let sum = 0;
    let mixed = 0;
    for (const [key, { value, version }] of this.#entries) {
      const hash = hashEntry(key, value, version);
      sum = (sum + hash) >>> 0;
      mixed = (mixed + Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)) >>> 0;
    }
    return `${this.#entries.size}-${sum.toString(16)}-${mixed.toString(16)}`;
  }

  #change(key: string, old: Entry | undefined, entry: Entry | undefined): void {
    for (const snapshot of this.#snapshots) snapshot.keep(key, old);
    if (entry === undefined) this.#entries.delete(key);
    else this.#entries.set(key, entry);
  }
}

/**
 * The entries as they were at one zxid. The live map is read in its own order; an entry changed meanwhile is
 * read from what was put aside, one born meanwhile is passed over, and one removed meanwhile comes at the
 * end.
 */
class FrozenEntries implements Snapshot {
  readonly zxid: Zxid;
  readonly #keys: Iterator<string>;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #onClose: () => void;
  /** Until it is read: the first chunk is the time of day alone. */
  #time: TimeOfDay | null;
  readonly #aside = new Map<string, Entry | undefined>();
  readonly #read = new Set<string>();
  #removed: Iterator<[string, Entry | undefined]> | null = null;

  constructor(zxid: Zxid, time: TimeOfDay, entries: ReadonlyMap<string, Entry>, onClose: () => void) {
    this.zxid = zxid;
    this.#time = time;
    this.#entries = entries;
    this.#keys = entries.keys();
    this.#onClose = onClose;
  }

  keep(key: string, old: Entry | undefined): void {
    if (!this.#aside.has(key)) this.#aside.set(key, old);
  }

  next(): Uint8Array | null {
    if (this.#time !== null) {
      const time = writeTime(this.#time);
      this.#time = null;
      return time;
    }
    const chunk: [string, Entry][] = [];
    let size = 0;
    while (size < CHUNK_BYTES) {
      const next = this.#nextEntry();
      if (next === null) break;
      chunk.push(next);
      size += entrySize(next);
    }
    return chunk.length === 0 ? null : writeEntries(chunk, size);
  }

  close(): void {
    this.#onClose();
  }

  #nextEntry(): [string, Entry] | null {
    for (;;) {
      const { value: key, done } = this.#keys.next();
      if (done === true) break;
      if (this.#read.has(key)) continue;
      const entry = this.#aside.has(key) ? this.#aside.get(key) : this.#entries.get(key);
      if (entry === undefined) continue;
      this.#read.add(key);
      return [key, entry];
    }
    this.#removed ??= this.#aside.entries();
    for (;;) {
      const { value, done } = this.#removed.next();
      if (done === true) return null;
      const [key, entry] = value;
      if (entry === undefined || this.#read.has(key)) continue;
      this.#read.add(key);
      return [key, entry];
    }
  }
}

// snapshot => time:u64 entry*      the time is a chunk of its own
// entry => key version:u32 length:u32 value

const entrySize = ([key, { value }]: [string, Entry]): number => 1 + key.length + 8 + value.length;

function writeTime(time: TimeOfDay): Uint8Array {
  const bytes = new Uint8Array(8);
  writeU32(bytes, 0, Math.floor(time / 2 ** 32));
  writeU32(bytes, 4, time >>> 0);
  return bytes;
}

const readTime = (bytes: Uint8Array): TimeOfDay | null =>
  bytes.length === 8 ? timeOfDay(readU32(bytes, 0) * 2 ** 32 + readU32(bytes, 4)) : null;

function writeEntries(entries: readonly [string, Entry][], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const [key, { value, version }] of entries) {
    writeKey(bytes, offset, key);
    offset += 1 + key.length;
    writeU32(bytes, offset, version);
    writeU32(bytes, offset + 4, value.length);
    bytes.set(value, offset + 8);
    offset += 8 + value.length;
  }
  return bytes;
}

function readEntries(chunk: Uint8Array, into: Map<string, Entry>): string | null {
  let offset = 0;
  while (offset < chunk.length) {
    const key = readKey(chunk, offset);
    offset += 1 + key.length;
    const version = readU32(chunk, offset);
    const length = readU32(chunk, offset + 4);
    into.set(key, { version, value: chunk.slice(offset + 8, offset + 8 + length) });
    offset += 8 + length;
  }
  return offset === chunk.length ? null : "its last entry was cut off";
}

/** FNV-1a over key, version and value. */
function hashEntry(key: string, value: Uint8Array, version: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ version, 0x01000193);
  for (let index = 0; index < value.length; index++) hash = Math.imul(hash ^ (value[index] ?? 0), 0x01000193);
  return hash >>> 0;
}

const CHUNK_BYTES = 64 * 1024;
