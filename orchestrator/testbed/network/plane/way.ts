/**
 * One directed pair of machines: decides for each packet whether it is lost, and when it is due at the
 * other end.
 *
 * In this order, as on a real link: the rate (a packet leaves when the ones before it have left), the loss,
 * the delay with its jitter. Ordered links then hold back a packet that would overtake; the others count it.
 * Of what is not lost, some arrives twice, and some with a bit wrong.
 */

import type { Random } from "#node/core/random.ts";
import type { LinkShape } from "../../../topology/topology.ts";
import { normalBelow, QUANTILES, type Table, table } from "../distribution.ts";

/** What happened on one way so far. */
export interface WayCounters {
  entered: number;
  bytes: number;
  delivered: number;
  lost: number;
  /** Came while the way was cut, or were under way when it was cut with a drop. */
  cut: number;
  /** Found the queue of the rate limit, or the plane's memory, full. */
  overflowed: number;
  reordered: number;
}

/**
 * A queue in front of a rate limit holds this much; longer ones would only teach TCP to wait. Microseconds.
 */
export const QUEUE_TIME = 250_000;

export const LOST = -1;
export const NO_BIT = -1;

export class Way {
  readonly counters: WayCounters = {
    entered: 0,
    bytes: 0,
    delivered: 0,
    lost: 0,
    cut: 0,
    overflowed: 0,
    reordered: 0,
  };
  isCut = false;
  #duplicate = 0;
  #corrupt = 0;
  /** Packets of an older generation than their way's are dropped when they come out. */
  generation = 0;
  #delay = 0;
  #loss = 0;
  #perByte = 0;
  #scale = 0;
  #halfLife = 0;
  #table: Table = table("pareto");
  /** When the rate limit has passed everything before. */
  #freeAt = 0;
  #lastDue = 0;
  /** The swing of correlated jitter, as a standard normal, and when it was last moved on. */
  #swing = 0;
  #swungAt = 0;
  readonly #ordered: boolean;
  readonly #random: Random;

  constructor(shape: LinkShape, ordered: boolean, random: Random) {
    this.#ordered = ordered;
    this.#random = random;
    this.shape(shape);
    this.#swing = this.#gaussian();
  }

  /** What is under way already stays due when it was. */
  shape({ delay, jitter, loss, rate, duplicate = 0, corrupt = 0 }: LinkShape): void {
    this.#delay = delay;
    this.#duplicate = duplicate;
    this.#corrupt = corrupt;
    this.#loss = loss;
    this.#perByte = 8e6 / rate;
    this.#scale = jitter?.scale ?? 0;
    this.#halfLife = jitter?.halfLife ?? 0;
    if (jitter !== null) this.#table = table(jitter.distribution);
  }

  /**
   * When the packet is due, in microseconds, or LOST. `luck` is 0 to 1: below the loss, the packet is lost.
   */
  enter(now: number, bytes: number, luck: number): number {
    this.counters.entered += 1;
    this.counters.bytes += bytes;
    if (this.isCut) {
      this.counters.cut += 1;
      return LOST;
    }
    const start = Math.max(now, this.#freeAt);
    if (start - now > QUEUE_TIME) {
      this.counters.overflowed += 1;
      return LOST;
    }
    this.#freeAt = start + bytes * this.#perByte;
    if (luck < this.#loss) {
      this.counters.lost += 1;
      return LOST;
    }
    let due = this.#freeAt + this.#delay;
    if (this.#scale > 0) due += this.#scale * this.#draw(now);
    if (due > this.#lastDue) this.#lastDue = due;
    else if (this.#ordered) {
      // A nanosecond later, so that the agenda, which knows only times, keeps the order too.
      due = this.#lastDue + 0.001;
      this.#lastDue = due;
    } else this.counters.reordered += 1;
    return due;
  }

  /** Whether this packet arrives twice. */
  isTwice(): boolean {
    return this.#duplicate > 0 && this.#random.chance(this.#duplicate);
  }

  /** Which of the packet's bits arrives wrong, or NO_BIT. */
  wrongBit(bytes: number): number {
    if (this.#corrupt === 0 || !this.#random.chance(this.#corrupt)) return NO_BIT;
    return this.#random.integer(0, 8 * bytes - 1);
  }

  #draw(now: number): number {
    if (this.#halfLife === 0) return this.#table.quantiles[this.#random.uint32() % QUANTILES] as number;
    const kept = 2 ** ((this.#swungAt - now) / this.#halfLife);
    this.#swing = kept * this.#swing + Math.sqrt(1 - kept * kept) * this.#gaussian();
    this.#swungAt = now;
    const rank = Math.min(QUANTILES - 1, Math.floor(normalBelow(this.#swing) * QUANTILES));
    return this.#table.quantiles[rank] as number;
  }

  #gaussian(): number {
    const radius = Math.sqrt(2 * this.#random.exponential());
    return radius * Math.cos(2 * Math.PI * this.#random.unit());
  }
}
