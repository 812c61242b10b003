/**
 * A server's own clock: it started at its own time and runs a little fast or slow. Automata see nothing else.
 *
 * It is the clock of the machine and goes on through crashes, so two lives of one server have times that
 * compare.
 */

import { assert } from "../../core/assert.ts";
import type { Duration, Instant, TimeOfDay } from "../../core/time.ts";

export interface ClockShape {
  /** What the clock shows when virtual time begins. */
  readonly offset: Duration;
  /** How much it gains, in microseconds a second; quartz does within +-100 or so. */
  readonly drift: number;
}

/** 2026-01-01: the wall clock when virtual time begins, so that stamps look like stamps. */
const EPOCH_MS = 1_767_225_600_000;

export class Clock {
  #offset: number;
  #wrongBy = 0;
  readonly #rate: number;

  constructor({ offset, drift }: ClockShape = { offset: 0 as Duration, drift: 0 }) {
    this.#offset = offset;
    this.#rate = 1 + drift / 1e6;
  }

  read(time: Instant): Instant {
    return (this.#offset + Math.floor(time * this.#rate)) as Instant;
  }

  timeOfDay(time: Instant): TimeOfDay {
    return Math.floor(EPOCH_MS + (this.read(time) + this.#wrongBy) / 1e3) as TimeOfDay;
  }

  /** It has been asleep for so long, or so it seems: it never goes back. */
  leap(by: Duration): void {
    assert(by >= 0, "a monotonic clock goes back");
    this.#offset += by;
  }

  /** Somebody sets the time of day, and nothing else. */
  jump(by: Duration): void {
    this.#wrongBy += by;
  }

  /** The first virtual time at which this clock shows `reading` or more: a timer is never early. */
  when(reading: Instant): Instant {
    assert(Number.isSafeInteger(reading), () => `no clock ever shows ${reading}`);
    let time = Math.floor((reading - this.#offset) / this.#rate) - 1;
    while (this.read(time as Instant) < reading) time += 1;
    return time as Instant;
  }
}
