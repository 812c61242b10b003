/**
 * Chance comes in through the door too: a generator is made from a seed and handed to whoever may draw.
 *
 * sfc32: 128 bits of state, passes the usual batteries, a few integer operations a draw, the same on every
 * machine. `fork` gives a generator whose draws do not shift when its parent's user draws once more.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  #spare: number | null = null;

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    this.#c = stream | 0;
    for (let warmUp = 0; warmUp < 12; warmUp++) this.uint32();
  }

  /** 0 to 2^32 - 1. */
  uint32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  /** 0 (inclusive) to 1 (exclusive). */
  unit(): number {
    return this.uint32() / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    return items[Math.floor(this.unit() * items.length)] as T;
  }

  /** Waiting time of a Poisson process, mean 1. */
  exponential(): number {
    return -Math.log(1 - this.unit());
  }

  /**
   * Mean 0, standard deviation 1 (Box and Muller, who draw two at a time: the second is kept for the next
   * call).
   */
  normal(): number {
    const spare = this.#spare;
    this.#spare = null;
    if (spare !== null) return spare;
    const radius = Math.sqrt(2 * this.exponential());
    const angle = 2 * Math.PI * this.unit();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.integer(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }

  fork(): Random {
    return new Random(this.uint32() * 2 ** 21 + (this.uint32() >>> 11), this.uint32());
  }
}
