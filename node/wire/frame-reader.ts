/**
 * A stream of bytes cut into frames, however the network cut it into pieces.
 *
 * A frame that lies within one piece is passed on without a copy; of a longer one only the pieces that have
 * come are kept, so that an announced length costs nothing. A length beyond the limit is refused before
 * anything is kept, and with it the rest of the stream: there is no telling where the next frame would begin.
 * A frame of no bytes says nothing, except that who sent it is there: it is passed over.
 */

import { FRAME_LIMIT } from "../core/limits.ts";

const LENGTH = 4;
/** A frame of no bytes. */
export const SIGN_OF_LIFE = new Uint8Array(LENGTH);

export class FrameReader {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #refused: string | null = null;

  constructor(limit = FRAME_LIMIT) {
    this.#limit = limit;
  }

  /** Why this stream is read no further. */
  get refused(): string | null {
    return this.#refused;
  }

  /** The piece must not change any more: frames are parts of it. */
  feed(piece: Uint8Array): void {
    if (piece.length === 0 || this.#refused !== null) return;
    this.#pieces.push(plain(piece));
    this.#held += piece.length;
  }

  /**
   * The next whole frame, its length in front; null when it has not come yet, or when the stream is refused.
   */
  next(): Uint8Array | null {
    if (this.#refused !== null) return null;
    let length = 0;
    while (this.#held >= LENGTH && length === 0) {
      length = this.#announced();
      if (length === 0) this.#cut(LENGTH);
    }
    if (length === 0) return null;
    if (length > this.#limit) {
      this.#refused = `a frame of ${length} bytes, where ${this.#limit} are the most`;
      this.#pieces = [];
      return null;
    }
    return this.#held < LENGTH + length ? null : this.#cut(LENGTH + length);
  }

  #announced(): number {
    let length = 0;
    let seen = 0;
    for (const piece of this.#pieces) {
      for (let at = 0; at < piece.length; at++) {
        length = length * 256 + (piece[at] as number);
        seen += 1;
        if (seen === LENGTH) return length;
      }
    }
    return length;
  }

  #cut(size: number): Uint8Array {
    if (this.#pieces.length > 1 && (this.#pieces[0] as Uint8Array).length < size) {
      this.#pieces = [joined(this.#pieces, this.#held)];
    }
    const first = this.#pieces[0] as Uint8Array;
    if (first.length === size) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(size);
    this.#held -= size;
    return first.subarray(0, size);
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Node's Buffer is a Uint8Array whose `slice` does not copy: frames must not be of that kind. */
const plain = (piece: Uint8Array): Uint8Array =>
  piece.constructor === Uint8Array ? piece : new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
