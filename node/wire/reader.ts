/**
 * Numbers and bytes out of one message, big-endian. Nothing here throws: the first thing wrong is remembered
 * as the reader's `failure`, and from then on every read gives zero or nothing, so that a decoder is written
 * without a single check and asks once at the end.
 */

import { utf8String } from "../core/utf8.ts";
import { MAX_SERVER_ID, type ServerId } from "../core/identity.ts";
import { type Epoch, MAX_EPOCH, type Zxid } from "../core/zxid.ts";

const U32 = 2 ** 32;
const MAX_HIGH = 2 ** 21 - 1;
const NOTHING = new Uint8Array(0);
const scratch = new DataView(new ArrayBuffer(8));

export class Reader {
  readonly #bytes: Uint8Array;
  #offset: number;
  #end: number;
  #failure: string | null = null;

  constructor(bytes: Uint8Array, offset = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#offset = offset;
    this.#end = end;
  }

  get failure(): string | null {
    return this.#failure;
  }

  get offset(): number {
    return this.#offset;
  }

  get left(): number {
    return this.#end - this.#offset;
  }

  fail(reason: string): void {
    this.#failure ??= `${reason}, at byte ${this.#offset}`;
    this.#end = this.#offset;
  }

  /** Whether the message was whole and ends here; otherwise `failure` says what is wrong. */
  finish(): boolean {
    if (this.left > 0) this.fail(`${this.left} bytes too many`);
    return this.#failure === null;
  }

  u8(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : (this.#bytes[at] as number);
  }

  u16(): number {
    const at = this.#take(2);
    return at < 0 ? 0 : ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number);
  }

  u32(): number {
    const at = this.#take(4);
    return at < 0 ? 0 : this.#get32(at);
  }

  u64(): number {
    const at = this.#take(8);
    if (at < 0) return 0;
    const high = this.#get32(at);
    if (high > MAX_HIGH) {
      this.fail(`a number beyond 2^53`);
      return 0;
    }
    return high * U32 + this.#get32(at + 4);
  }

  /** Finite: an infinite or missing score would break every order. */
  f64(): number {
    scratch.setUint32(0, this.u32());
    scratch.setUint32(4, this.u32());
    const value = scratch.getFloat64(0);
    if (Number.isFinite(value)) return value;
    this.fail(`${value} is no finite number`);
    return 0;
  }

  flag(): boolean {
    const value = this.u8();
    if (value > 1) this.fail(`${value} is neither 0 nor 1`);
    return value === 1;
  }

  server(): ServerId {
    const value = this.u8();
    if (value < 1 || value > MAX_SERVER_ID) this.fail(`${value} is no server id`);
    return value as ServerId;
  }

  epoch(): Epoch {
    const value = this.u32();
    if (value > MAX_EPOCH) this.fail(`epoch ${value} is beyond ${MAX_EPOCH}`);
    return value as Epoch;
  }

  /** The epoch's 21 bits and the counter's 32 are just what `u64` lets through. */
  zxid(): Zxid {
    return this.u64() as Zxid;
  }

  /**
   * How many elements follow, each of at least `size` bytes: more than the bytes left can hold is refused at
   * once.
   */
  count(size: number): number {
    const count = this.u32();
    if (count * size <= this.left) return count;
    this.fail(`${count} elements in ${this.left} bytes`);
    return 0;
  }

  /** The next bytes, not copied. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return at < 0 ? NOTHING : this.#bytes.subarray(at, at + length);
  }

  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  string(): string {
    const text = utf8String(this.bytes(this.count(1)));
    if (text !== null) return text;
    this.fail("a string that is not UTF-8");
    return "";
  }

  #take(size: number): number {
    const at = this.#offset;
    if (size > this.#end - at) {
      this.fail(`${size} bytes expected, ${this.left} left`);
      return -1;
    }
    this.#offset = at + size;
    return at;
  }

  #get32(at: number): number {
    const bytes = this.#bytes;
    return (
      (((bytes[at] as number) << 24) |
        ((bytes[at + 1] as number) << 16) |
        ((bytes[at + 2] as number) << 8) |
        (bytes[at + 3] as number)) >>>
      0
    );
  }
}
