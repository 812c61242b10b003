/**
 * What will happen, and when: virtual time is the time of the next thing on this list.
 *
 * A binary heap ordered by (time, order of entry), so that things planned for one instant happen in the order
 * in which they were planned, and a run is the same every time. Every message, timer and disk write of a
 * simulated ensemble goes through here, so times and orders lie in flat arrays of numbers, and an entry costs
 * one closure and no other object.
 */

import type { Instant } from "../../core/time.ts";

type Action = () => void;

const NOTHING: Action = () => {};

export class Agenda {
  #now = 0 as Instant;
  #size = 0;
  #entered = 0;
  #times = new Float64Array(1024);
  #orders = new Float64Array(1024);
  #actions: Action[] = Array.from({ length: 1024 }, () => NOTHING);

  /** The time of what happened last. */
  get now(): Instant {
    return this.#now;
  }

  /** The time of what happens next; infinite when nothing is planned. */
  get next(): Instant {
    return (this.#size === 0 ? Infinity : this.#times[0]) as Instant;
  }

  get size(): number {
    return this.#size;
  }

  /** Plans `action`; what should have happened already happens now. */
  at(time: Instant, action: Action): void {
    if (this.#size === this.#times.length) this.#grow();
    const due = Math.max(time, this.#now);
    const order = this.#entered++;
    let hole = this.#size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      // What is entered later never goes before its equal, so times alone decide on the way up.
      if ((this.#times[parent] as number) <= due) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#put(hole, due, order, action);
  }

  after(duration: number, action: Action): void {
    this.at((this.#now + duration) as Instant, action);
  }

  /** Lets the next thing happen. */
  advance(): void {
    const action = this.#actions[0] as Action;
    this.#now = this.#times[0] as Instant;
    this.#removeFirst();
    action();
  }

  /** Lets time pass up to `time`, before which nothing may be planned. */
  idle(time: Instant): void {
    if (time > this.#now && time <= this.next) this.#now = time;
  }

  #removeFirst(): void {
    const last = --this.#size;
    const time = this.#times[last] as number;
    const order = this.#orders[last] as number;
    const action = this.#actions[last] as Action;
    this.#actions[last] = NOTHING;
    if (last === 0) return;
    let hole = 0;
    for (let child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && this.#before(child + 1, child)) child += 1;
      const earlier = this.#times[child] as number;
      if (time < earlier || (time === earlier && order < (this.#orders[child] as number))) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#put(hole, time, order, action);
  }

  #before(a: number, b: number): boolean {
    const first = this.#times[a] as number;
    const second = this.#times[b] as number;
    return first < second || (first === second && (this.#orders[a] as number) < (this.#orders[b] as number));
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] as number, this.#orders[from] as number, this.#actions[from] as Action);
  }

  #put(at: number, time: number, order: number, action: Action): void {
    this.#times[at] = time;
    this.#orders[at] = order;
    this.#actions[at] = action;
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#size);
    const orders = new Float64Array(2 * this.#size);
    times.set(this.#times);
    orders.set(this.#orders);
    this.#times = times;
    this.#orders = orders;
  }
}
