/**
 * Datagrams to all in virtual time: whom an announcement reaches, when, and how often.
 *
 * Loss comes in two kinds. Shared loss is one draw an announcement: it is lost for all, as on the sender's
 * own link. Independent loss is one draw a listener, as on each one's own link. Together an announcement
 * misses a listener with 1 - (1 - shared)(1 - independent).
 *
 * A third kind grows with how many speak at once: a listener reads one datagram after another, and what comes
 * to a full buffer is lost, as in the kernel's buffer of a socket.
 */

import type { MemberId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import type { Duration, Instant } from "../../core/time.ts";
import { drawDelay, type LinkShape } from "./link.ts";

/** One way, from one member to another; each datagram draws its own delay, so jitter reorders. */
export interface DatagramShape extends Pick<LinkShape, "delay" | "jitter" | "distribution"> {
  /** The chance that this listener alone misses an announcement; 0 when not given. */
  readonly loss?: number;
  /** The chance that it comes twice, each with a delay of its own; 0 when not given. */
  readonly duplicate?: number;
  /** The chance that it is held back by so much, and overtaken; never when not given. */
  readonly late?: { readonly chance: number; readonly by: Duration };
}

export interface GroupNetworkShape {
  way(from: MemberId, to: MemberId): DatagramShape;
  /** The chance that an announcement reaches nobody; 0 when not given. */
  readonly sharedLoss?: number;
  /** Of every listener; endless when not given. */
  readonly buffer?: ReadingBuffer;
}

export interface ReadingBuffer {
  /** Datagrams that may wait to be read. */
  readonly places: number;
  /** How long reading one takes. It delays none, it only makes room. */
  readonly each: Duration;
}

/** What each listener must lose by itself, so that together with the shared loss it misses `loss`. */
export const independentLoss = (loss: number, shared: number): number => 1 - (1 - loss) / (1 - shared);

/** Datagrams that did not come or came again, a listener each. */
export interface NetworkCounts {
  shared: number;
  independent: number;
  cut: number;
  duplicated: number;
  overflown: number;
}

export class DatagramNetwork<Listener extends { readonly id: MemberId }, Packet> {
  readonly counts: NetworkCounts = {
    shared: 0,
    independent: 0,
    cut: 0,
    duplicated: 0,
    overflown: 0,
  };
  readonly #listeners: readonly Listener[];
  readonly #shape: GroupNetworkShape;
  readonly #random: Random;
  readonly #plan: (at: Instant, arrive: () => void) => void;
  readonly #arrived: (listener: Listener, packet: Packet) => void;
  readonly #cut = new Set<string>();
  /** By listener: when it will have read all that it has. */
  readonly #readBy = new Map<MemberId, Instant>();

  constructor(
    listeners: readonly Listener[],
    shape: GroupNetworkShape,
    random: Random,
    plan: (at: Instant, arrive: () => void) => void,
    arrived: (listener: Listener, packet: Packet) => void,
  ) {
    this.#listeners = listeners;
    this.#shape = shape;
    this.#random = random;
    this.#plan = plan;
    this.#arrived = arrived;
  }

  announce(from: MemberId, packet: Packet, now: Instant): void {
    const { sharedLoss = 0 } = this.#shape;
    if (sharedLoss > 0 && this.#random.chance(sharedLoss)) {
      this.counts.shared += this.#listeners.length - 1;
      return;
    }
    // Whom it reaches at the same time, one after the other, is one entry of the agenda.
    let together: Listener[] = [];
    let at = now;
    const leave = (): void => {
      if (together.length > 0) this.#deliver(together, packet, at);
    };
    for (const listener of this.#listeners) {
      if (listener.id === from) continue;
      const way = this.#shape.way(from, listener.id);
      for (let copies = this.#copies(from, listener.id, way); copies > 0; copies--) {
        const arrival = (now + this.#delay(way)) as Instant;
        if (arrival !== at) {
          leave();
          together = [];
          at = arrival;
        }
        together.push(listener);
      }
    }
    leave();
  }

  /** Gives a datagram to everybody at once, whoever it may be from. */
  inject(packet: Packet, now: Instant): void {
    this.#deliver(this.#listeners, packet, now);
  }

  /** From now on nothing that is announced passes in this direction. */
  cut(from: MemberId, to: MemberId): void {
    this.#cut.add(direction(from, to));
  }

  heal(from: MemberId, to: MemberId): void {
    this.#cut.delete(direction(from, to));
  }

  #copies(from: MemberId, to: MemberId, { loss = 0, duplicate = 0 }: DatagramShape): number {
    if (this.#cut.size > 0 && this.#cut.has(direction(from, to))) {
      this.counts.cut += 1;
      return 0;
    }
    if (loss > 0 && this.#random.chance(loss)) {
      this.counts.independent += 1;
      return 0;
    }
    if (duplicate === 0 || !this.#random.chance(duplicate)) return 1;
    this.counts.duplicated += 1;
    return 2;
  }

  #delay(way: DatagramShape): number {
    const delay = drawDelay(way, this.#random);
    return way.late !== undefined && this.#random.chance(way.late.chance) ? delay + way.late.by : delay;
  }

  #deliver(listeners: readonly Listener[], packet: Packet, at: Instant): void {
    this.#plan(at, () => {
      for (const listener of listeners) if (this.#hasRoom(listener.id, at)) this.#arrived(listener, packet);
    });
  }

  #hasRoom(listener: MemberId, now: Instant): boolean {
    const { buffer } = this.#shape;
    if (buffer === undefined) return true;
    const readBy = Math.max(this.#readBy.get(listener) ?? 0, now);
    if (readBy - now > (buffer.places - 1) * buffer.each) {
      this.counts.overflown += 1;
      return false;
    }
    this.#readBy.set(listener, (readBy + buffer.each) as Instant);
    return true;
  }
}

const direction = (from: MemberId, to: MemberId): string => `${from} ${to}`;
