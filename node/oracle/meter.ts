/**
 * How many requests a second clients send to this server, lately: theta_r.
 *
 * The window is cut into slots that are counted and dropped whole, so counting a request costs an addition,
 * and the rate is over the time that the slots really cover.
 */

import { type Duration, type Instant, seconds, toSeconds } from "../core/time.ts";

const SLOTS = 10;

export class Meter {
  readonly #width: number;
  readonly #counts: number[] = Array.from({ length: SLOTS }, () => 0);
  /** The slot of the last call, counted from the clock's zero. */
  #slot = 0;
  #since: Instant | null = null;

  constructor(window: Duration = seconds(10)) {
    this.#width = window / SLOTS;
  }

  count(now: Instant, requests = 1): void {
    this.#advance(now);
    this.#counts[this.#slot % SLOTS] = (this.#counts[this.#slot % SLOTS] ?? 0) + requests;
  }

  perSecond(now: Instant): number {
    const since = this.#advance(now);
    const begin = Math.max(since, (this.#slot - SLOTS + 1) * this.#width);
    // One request in the first microsecond is not a million a second.
    const covered = Math.max(now - begin, this.#width);
    return this.#counts.reduce((sum, count) => sum + count, 0) / toSeconds(covered as Duration);
  }

  #advance(now: Instant): Instant {
    const slot = Math.floor(now / this.#width);
    const passed = this.#since === null ? 0 : Math.min(slot - this.#slot, SLOTS);
    for (let back = 0; back < passed; back++) this.#counts[(slot - back) % SLOTS] = 0;
    this.#slot = slot;
    this.#since ??= now;
    return this.#since;
  }
}
