/**
 * The timers of an automaton on one timer of Node.
 *
 * Heartbeats re-arm several timers with every message that comes, so arming only writes down when; Node is
 * asked again only when the new moment is earlier than the one it is set to. Node counts whole milliseconds
 * from the start of the event loop's turn, and may call up to one of them early: then it is asked once more.
 * So a timer fires up to a millisecond or two late and never early.
 */

import { after, between, type Duration, type Instant, toMilliseconds } from "../../core/time.ts";
import type { Clock } from "./clock.ts";

export class Timers<Name extends string> {
  readonly #clock: Clock;
  readonly #fire: (timer: Name) => void;
  readonly #due = new Map<Name, Instant>();
  #alarm: NodeJS.Timeout | null = null;
  #alarmAt = 0 as Instant;

  constructor(clock: Clock, fire: (timer: Name) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  arm(timer: Name, duration: Duration): void {
    const due = after(this.#clock.now(), duration);
    this.#due.set(timer, due);
    if (this.#alarm === null || due < this.#alarmAt) this.#set(due);
  }

  disarm(timer: Name): void {
    this.#due.delete(timer);
  }

  clear(): void {
    this.#due.clear();
    if (this.#alarm !== null) clearTimeout(this.#alarm);
    this.#alarm = null;
  }

  #set(due: Instant): void {
    if (this.#alarm !== null) clearTimeout(this.#alarm);
    this.#alarmAt = due;
    const wait = toMilliseconds(between(this.#clock.now(), due));
    this.#alarm = setTimeout(() => this.#ring(), Math.min(Math.max(0, Math.ceil(wait)), LONGEST));
  }

  #ring(): void {
    this.#alarm = null;
    const now = this.#clock.now();
    const ripe = [...this.#due].filter(([, due]) => due <= now).sort(([, a], [, b]) => a - b);
    for (const [timer, due] of ripe) {
      // An earlier one may have disarmed or re-armed it.
      if (this.#due.get(timer) !== due) continue;
      this.#due.delete(timer);
      this.#fire(timer);
    }
    // Whoever was re-armed just now may have set the alarm beyond one that waits already.
    const next = Math.min(...this.#due.values());
    if (next < (this.#alarm === null ? Infinity : this.#alarmAt)) this.#set(next as Instant);
  }
}

/** Node takes longer ones for one millisecond. */
const LONGEST = 2 ** 31 - 1;
