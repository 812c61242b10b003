/**
 * What a server says on one connection, cut into frames as it comes.
 *
 * Whole frames are views of the piece that they came in; only one that is cut off is copied, into a buffer of
 * the size that it claims to have.
 */

import { MAX_FRAME } from "../wire/client/header.ts";
import { intAt } from "./question.ts";

/** Replies may exceed a request's limit by their headers, and nothing exceeds twice of it. */
const LONGEST = 2 * MAX_FRAME;
const LENGTH_BYTES = 4;
const NOTHING = new Uint8Array(0);

export class Frames {
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  /** Of `#bytes`, what has come; all of it, unless they are a buffer for what was cut off. */
  #end = 0;
  /** A length that no frame has: nothing more can be made of the connection. */
  isNonsense = false;

  push(piece: Uint8Array): void {
    const left = this.#end - this.#at;
    if (left === 0) {
      this.#bytes = piece;
      this.#at = 0;
      this.#end = piece.length;
      return;
    }
    if (this.#end + piece.length > this.#bytes.length) this.#grow(left, piece.length);
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  /** What follows the length; null until more has come. */
  next(): Uint8Array | null {
    const left = this.#end - this.#at;
    if (left < LENGTH_BYTES) return null;
    const length = intAt(this.#bytes, this.#at);
    if (length < 0 || length > LONGEST) {
      this.isNonsense = true;
      return null;
    }
    if (left < LENGTH_BYTES + length) return null;
    const from = this.#at + LENGTH_BYTES;
    this.#at = from + length;
    const frame = this.#bytes.subarray(from, this.#at);
    if (this.#at === this.#end) {
      this.#bytes = NOTHING;
      this.#at = this.#end = 0;
    }
    return frame;
  }

  #grow(left: number, by: number): void {
    const claimed = left < LENGTH_BYTES ? 0 : LENGTH_BYTES + intAt(this.#bytes, this.#at);
    const grown = new Uint8Array(Math.max(claimed, left + by));
    grown.set(this.#bytes.subarray(this.#at, this.#end));
    this.#bytes = grown;
    this.#at = 0;
    this.#end = left;
  }
}
