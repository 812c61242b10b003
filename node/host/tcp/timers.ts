/**
 * The timers of an automaton on one bell, which is Node's own timer unless another is given.
 *
 * Heartbeats re-arm several timers with every message that comes, so arming only writes down when; the bell
 * is set again only when the new moment is earlier than the one it is set to. Node counts whole milliseconds
 * from the start of the event loop's turn, and may call up to one of them early: then it is asked once more.
 * So with Node's a timer fires up to a millisecond or two late and never early.
 */

import { after, between, type Duration, type Instant, toMilliseconds } from "../../core/time.ts";

/** Rings once for what it was set to last, perhaps early; it may ring once more for what was set before. */
export interface Bell {
  set(due: Instant): void;
  clear(): void;
}

interface Clock {
  now(): Instant;
}

export class Timers<Name extends string> {
  readonly #clock: Clock;
  readonly #fire: (timer: Name, due: Instant) => void;
  readonly #bell: Bell;
  readonly #due = new Map<Name, Instant>();
  /** What the bell is set to. */
  #rings: Instant | null = null;

  constructor(clock: Clock, fire: (timer: Name, due: Instant) => void, bell?: Bell) {
    this.#clock = clock;
    this.#fire = fire;
    this.#bell = bell ?? new NodeBell(clock, () => this.ring());
  }

  /** `from` may have passed: what was due since then is due now, once. */
  arm(timer: Name, duration: Duration, from?: Instant): void {
    const now = this.#clock.now();
    const due = Math.max(after(from ?? now, duration), now) as Instant;
    this.#due.set(timer, due);
    if (this.#rings === null || due < this.#rings) this.#set(due);
  }

  disarm(timer: Name): void {
    this.#due.delete(timer);
  }

  clear(): void {
    this.#due.clear();
    this.#rings = null;
    this.#bell.clear();
  }

  /** Fires what is due; called by the bell. */
  ring(): void {
    this.#rings = null;
    const now = this.#clock.now();
    const ripe = [...this.#due].filter(([, due]) => due <= now).sort(([, a], [, b]) => a - b);
    for (const [timer, due] of ripe) {
      // An earlier one may have disarmed or re-armed it.
      if (this.#due.get(timer) !== due) continue;
      this.#due.delete(timer);
      this.#fire(timer, due);
    }
    // Whoever was re-armed just now may have set the bell beyond one that waits already.
    const next = Math.min(...this.#due.values());
    if (next < (this.#rings ?? Infinity)) this.#set(next as Instant);
  }

  #set(due: Instant): void {
    this.#rings = due;
    this.#bell.set(due);
  }
}

class NodeBell implements Bell {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timeout: NodeJS.Timeout | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(due: Instant): void {
    clearTimeout(this.#timeout);
    const wait = toMilliseconds(between(this.#clock.now(), due));
    this.#timeout = setTimeout(this.#ring, Math.min(Math.max(0, Math.ceil(wait)), LONGEST));
  }

  clear(): void {
    clearTimeout(this.#timeout);
  }
}

/** Node takes longer ones for one millisecond. */
export const LONGEST = 2 ** 31 - 1;
