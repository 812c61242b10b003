/**
 * What a round-trip time usually is, and how far it usually strays: what TCP keeps to know when to give up
 * waiting (Jacobson 1988, RFC 6298). One late answer moves the mean by an eighth of its lateness, eight late
 * ones move it most of the way. The first eight samples weigh the same, so that a slow first answer (a
 * connection just made) is soon forgotten.
 */

import { type Duration, microseconds } from "../core/time.ts";

export class Estimate {
  #samples = 0;
  #mean = 0;
  #deviation = 0;

  add(sample: Duration): void {
    this.#samples += 1;
    const error = sample - this.#mean;
    if (this.#samples === 1) this.#deviation = sample / 2;
    else this.#deviation += (Math.abs(error) - this.#deviation) / 4;
    this.#mean += error / Math.min(this.#samples, 8);
  }

  get mean(): Duration {
    return microseconds(this.#mean);
  }

  /**
   * Hardly any answer takes longer. A first one may have been slow itself, so twice the mean is the most.
   */
  get reach(): Duration {
    return microseconds(Math.min(this.#mean + 4 * this.#deviation, 2 * this.#mean));
  }

  /** Later than this is later than usual; before any sample a second, as for TCP. */
  get patience(): Duration {
    return microseconds(this.#samples === 0 ? 1e6 : this.#mean + 4 * this.#deviation);
  }
}
