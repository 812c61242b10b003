/**
 * Room for bytes that are made often and kept for a while.
 *
 * A buffer of its own costs each message some 250 ns and the collector more; a part of a larger buffer costs
 * 50. The price is that a buffer lives as long as any part of it, so what lives long and what lives shortly
 * have arenas of their own, and what is large gets its own buffer all the same.
 */

const CHUNK = 64 * 1024;
const LARGE = 8 * 1024;

export class Arena {
  #chunk = new ArrayBuffer(0);
  #used = 0;

  /** Zeros, for the caller alone to fill. */
  room(size: number): Uint8Array<ArrayBuffer> {
    if (size > LARGE) return new Uint8Array(size);
    if (this.#used + size > this.#chunk.byteLength) {
      this.#chunk = new ArrayBuffer(CHUNK);
      this.#used = 0;
    }
    const room = new Uint8Array(this.#chunk, this.#used, size);
    this.#used += size;
    return room;
  }
}
