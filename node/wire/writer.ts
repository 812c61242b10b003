/**
 * Numbers and bytes into one growing buffer, big-endian. The buffer is kept between messages, so a writer
 * costs its one copy out and nothing else. A number that does not fit its field is a bug here, not a fault of
 * the world: it throws.
 */

import { utf8Bytes } from "../core/utf8.ts";
import { AssertionError } from "../core/assert.ts";
import type { Arena } from "../core/arena.ts";

const U32 = 2 ** 32;
const scratch = new DataView(new ArrayBuffer(8));

export class Writer {
  #bytes: Uint8Array;
  #length = 0;

  /** Writes into `room`, when it is given, and grows out of it when it must. */
  constructor(capacity = 256, room = new Uint8Array(capacity)) {
    this.#bytes = room;
  }

  get length(): number {
    return this.#length;
  }

  clear(): this {
    this.#length = 0;
    return this;
  }

  u8(value: number): this {
    if ((value & 0xff) !== value) unfit(value, "u8");
    const at = this.#grow(1);
    this.#bytes[at] = value;
    return this;
  }

  u16(value: number): this {
    if ((value & 0xffff) !== value) unfit(value, "u16");
    const at = this.#grow(2);
    this.#bytes[at] = value >>> 8;
    this.#bytes[at + 1] = value;
    return this;
  }

  u32(value: number): this {
    if (value >>> 0 !== value) unfit(value, "u32");
    this.#put32(this.#grow(4), value);
    return this;
  }

  /** Any number that counts exactly, 0 to 2^53 - 1, in 64 bits. */
  u64(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) unfit(value, "u64");
    const at = this.#grow(8);
    this.#put32(at, Math.floor(value / U32));
    this.#put32(at + 4, value >>> 0);
    return this;
  }

  f64(value: number): this {
    const at = this.#grow(8);
    scratch.setFloat64(0, value);
    this.#put32(at, scratch.getUint32(0));
    this.#put32(at + 4, scratch.getUint32(4));
    return this;
  }

  flag(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  bytes(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** string => length:u32 utf8 */
  string(value: string): this {
    const bytes = utf8Bytes(value);
    return this.u32(bytes.length).bytes(bytes);
  }

  /** Writes over a field that was left open until what follows it was known. */
  patchU32(at: number, value: number): this {
    this.#put32(at, value);
    return this;
  }

  /** What was written, as bytes of its own; from an arena, when one is given. */
  copy(arena?: Arena): Uint8Array {
    if (arena === undefined) return this.#bytes.slice(0, this.#length);
    const copy = arena.room(this.#length);
    copy.set(this.view(0));
    return copy;
  }

  /** What was written since `start`, not copied: good until the next write. */
  view(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.#length);
  }

  /** What was written, without a copy; the writer is empty afterwards. */
  take(): Uint8Array {
    const taken = this.view(0);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
    return taken;
  }

  #put32(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
  }

  #grow(by: number): number {
    const at = this.#length;
    this.#length = at + by;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    return at;
  }
}

function unfit(value: number, field: string): never {
  throw new AssertionError(`${value} does not fit a ${field}`);
}
