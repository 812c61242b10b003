/**
 * The bytes of one connection, as they come, cut into frames.
 *
 * Whole frames are given out as they arrived; only one that is cut off is copied, into a buffer that grows
 * with what comes, so a client that claims a large frame and then dawdles costs twice what it sent and no
 * more. The first four bytes of a connection may be one of the four-letter words instead of a length; read as
 * a length, a word would be far beyond any that is allowed.
 */

import { MAX_FRAME } from "../wire/client/header.ts";
import { JuteReader } from "../wire/client/jute.ts";

export type Cut =
  /** A view, good until the next `push`. */
  | { readonly kind: "frame"; readonly payload: Uint8Array }
  | { readonly kind: "word"; readonly word: string }
  /** Nothing more can be made of this connection. */
  | { readonly kind: "nonsense"; readonly length: number };

export class FrameBuffer {
  #bytes: Uint8Array = NOTHING;
  #start = 0;
  #end = 0;
  #first = true;

  /** How many bytes have not been given out. */
  get held(): number {
    return this.#end - this.#start;
  }

  /** Something stands behind the next frame. */
  get holdsMore(): boolean {
    return this.held > 4 && this.held > 4 + new JuteReader(this.#bytes, this.#start).int();
  }

  push(bytes: Uint8Array): void {
    if (this.held === 0) {
      this.#bytes = bytes;
      this.#start = 0;
      this.#end = bytes.length;
      return;
    }
    // What arrived first is full to its end, so it is never written to.
    if (this.#end + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** The next frame, or null until more has come. */
  next(): Cut | null {
    if (this.held < 4) return null;
    const head = this.#bytes.subarray(this.#start, this.#start + 4);
    const word = this.#first ? String.fromCharCode(...head) : "";
    this.#first = false;
    if (/^[a-z]{4}$/.test(word)) return { kind: "word", word };
    const length = new JuteReader(head).int();
    if (length < 0 || length > MAX_FRAME) return { kind: "nonsense", length };
    if (this.held < 4 + length) return null;
    const payload = this.#bytes.subarray(this.#start + 4, this.#start + 4 + length);
    this.#start += 4 + length;
    // A quiet connection keeps nothing of what it once sent.
    if (this.held === 0) this.#bytes = NOTHING;
    return { kind: "frame", payload };
  }

  #grow(by: number): void {
    const larger = new Uint8Array(2 * (this.held + by));
    larger.set(this.#bytes.subarray(this.#start, this.#end));
    this.#bytes = larger;
    this.#end = this.held;
    this.#start = 0;
  }
}

const NOTHING = new Uint8Array(0);
