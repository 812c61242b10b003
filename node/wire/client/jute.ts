/**
 * Jute: how ZooKeeper's clients write numbers, strings and lists as bytes.
 *
 *   int => i32    long => i64    bool => u8    buffer => length:i32 bytes    ustring => buffer of UTF-8
 *   vector of x => count:i32 x*
 *
 * Everything is big-endian; a length or count of -1 stands for null. Peers use frames of their own
 * (`wire/reader.ts`): Jute has signed numbers, nulls and strings that need not be valid UTF-8, which Java
 * reads as U+FFFD, and so do we.
 *
 * A reader never throws. The first thing wrong makes it `failed`; from then on it gives zeros, so that a
 * decoder is one line a field and asks once at the end.
 */

import { utf8Bytes, utf8Text } from "../../core/utf8.ts";
import { assert } from "../../core/assert.ts";

const TWO_32 = 2 ** 32;

export class JuteReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #failed = false;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The bytes ended too early, or a length made no sense. */
  get failed(): boolean {
    return this.#failed;
  }

  fail(): void {
    this.#failed = true;
    this.#at = this.#bytes.length;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** What has not been read yet, not copied. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  byte(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : (this.#bytes[at] as number);
  }

  bool(): boolean {
    return this.byte() !== 0;
  }

  int(): number {
    const at = this.#take(4);
    return at < 0 ? 0 : this.#int32(at);
  }

  /**
   * Beyond 2^53 the nearest number: no zxid or session of ours is that large, so it still differs from all of
   * them.
   */
  long(): number {
    const at = this.#take(8);
    return at < 0 ? 0 : this.#int32(at) * TWO_32 + (this.#int32(at + 4) >>> 0);
  }

  /** Not copied: keep it and you keep the frame it came in. */
  buffer(): Uint8Array | null {
    const length = this.int();
    if (length === -1) return null;
    if (length < 0) this.fail();
    const at = this.#take(length);
    return at < 0 ? NOTHING : this.#bytes.subarray(at, at + length);
  }

  ustring(): string | null {
    const bytes = this.buffer();
    return bytes === null ? null : utf8Text(bytes);
  }

  /** A ustring that must be there. */
  text(): string {
    const text = this.ustring();
    if (text === null) this.fail();
    return text ?? "";
  }

  /** Null counts as empty, as it does for every list that a client sends. */
  vector<T>(item: (reader: JuteReader) => T): T[] {
    const count = this.int();
    if (count < -1) this.fail();
    const items: T[] = [];
    // However large the count, there are no more items than bytes: the first that is missing ends it.
    for (let index = 0; index < count && !this.#failed; index++) items.push(item(this));
    return items;
  }

  #take(size: number): number {
    const at = this.#at;
    if (size > this.#bytes.length - at || this.#failed) {
      this.fail();
      return -1;
    }
    this.#at = at + size;
    return at;
  }

  #int32(at: number): number {
    const bytes = this.#bytes;
    return (
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)
    );
  }
}

export class JuteWriter {
  #bytes: Uint8Array;
  #length = 0;

  /**
   * Into so many bytes, or room of the caller's. What is kept for long deserves the exact capacity: the rest
   * of the buffer is kept with it.
   */
  constructor(room: number | Uint8Array = 128) {
    this.#bytes = typeof room === "number" ? new Uint8Array(room) : room;
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): this {
    const at = this.#grow(1);
    this.#bytes[at] = value;
    return this;
  }

  bool(value: boolean): this {
    return this.byte(value ? 1 : 0);
  }

  int(value: number): this {
    this.#int32(this.#grow(4), value);
    return this;
  }

  long(value: number): this {
    assert(Number.isSafeInteger(value), () => `no exact long: ${value}`);
    const at = this.#grow(8);
    this.#int32(at, Math.floor(value / TWO_32));
    this.#int32(at + 4, value | 0);
    return this;
  }

  buffer(value: Uint8Array | null): this {
    if (value === null) return this.int(-1);
    return this.int(value.length).raw(value);
  }

  /** The bytes alone, without their length. */
  raw(value: Uint8Array): this {
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  ustring(value: string | null): this {
    if (value === null) return this.int(-1);
    const lengthAt = this.#grow(4);
    const start = this.#length;
    this.#utf8(value);
    this.#int32(lengthAt, this.#length - start);
    return this;
  }

  vector<T>(items: readonly T[], item: (writer: JuteWriter, value: T) => void): this {
    this.int(items.length);
    for (const value of items) item(this, value);
    return this;
  }

  /** What was written, not copied; the writer is used no more. */
  finish(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #utf8(text: string): void {
    let at = this.#grow(text.length);
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit >= 0x80) {
        this.#length = at;
        this.raw(utf8Bytes(text.slice(index)));
        return;
      }
      this.#bytes[at++] = unit;
    }
  }

  #int32(at: number, value: number): void {
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

const NOTHING = new Uint8Array(0);
