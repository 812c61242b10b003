/**
 * Memory for packets under way: one preallocated block, cut into many small slots for packets of an MTU and
 * fewer large ones for the segments that offloading passes whole. Pages are touched when first used, so the
 * block costs what is under way at its worst, not its size.
 */

export const LARGEST_PACKET = 65_536 + 128;
export const SMALL_PACKET = 2048;
const SMALL_SLOTS = 1 << 17;
const LARGE_SLOTS = 1 << 13;
/** A multiple of a cache line that holds the largest packet. */
const LARGE = 65_792;

export const SLOTS = SMALL_SLOTS + LARGE_SLOTS;
export const NO_SLOT = -1;

export class Slab {
  readonly bytes = new Uint8Array(SMALL_SLOTS * SMALL_PACKET + LARGE_SLOTS * LARGE);
  readonly length = new Int32Array(SLOTS);
  readonly #free = new Int32Array(SLOTS);
  #smallFree = SMALL_SLOTS;
  #largeFree = LARGE_SLOTS;

  constructor() {
    // Low numbers are taken first: they lie at the end of the stacks.
    for (let slot = 0; slot < SMALL_SLOTS; slot++) this.#free[slot] = SMALL_SLOTS - 1 - slot;
    for (let slot = 0; slot < LARGE_SLOTS; slot++) this.#free[SMALL_SLOTS + slot] = SLOTS - 1 - slot;
  }

  /** A slot for a packet of this many bytes, or NO_SLOT when too much is under way. */
  take(length: number): number {
    if (length <= SMALL_PACKET) {
      if (this.#smallFree === 0) return NO_SLOT;
      this.#smallFree -= 1;
      return this.#free[this.#smallFree] as number;
    }
    if (this.#largeFree === 0) return NO_SLOT;
    this.#largeFree -= 1;
    return this.#free[SMALL_SLOTS + this.#largeFree] as number;
  }

  release(slot: number): void {
    if (slot < SMALL_SLOTS) {
      this.#free[this.#smallFree] = slot;
      this.#smallFree += 1;
    } else {
      this.#free[SMALL_SLOTS + this.#largeFree] = slot;
      this.#largeFree += 1;
    }
  }

  /** Where the slot's bytes begin. */
  offset(slot: number): number {
    return slot < SMALL_SLOTS
      ? slot * SMALL_PACKET
      : SMALL_SLOTS * SMALL_PACKET + (slot - SMALL_SLOTS) * LARGE;
  }

  /** A copy of what is in `slot`, in a slot that fits it; NO_SLOT when there is none. */
  copy(slot: number): number {
    const length = this.length[slot] as number;
    const taken = this.take(length);
    if (taken === NO_SLOT) return NO_SLOT;
    const from = this.offset(slot);
    this.bytes.copyWithin(this.offset(taken), from, from + length);
    this.length[taken] = length;
    return taken;
  }
}
