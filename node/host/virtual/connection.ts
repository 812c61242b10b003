/**
 * A connection as its two kernels see it: each has an end, and the two may disagree for a while.
 *
 * An end that is open takes what its process sends and passes on what arrives. What was sent travels by the
 * link of its direction; when that is cut, it is held back and sent again after the cut heals, as TCP does.
 * An end whose data stays unacknowledged too long gives up.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Instant } from "../../core/time.ts";
import type { Channel } from "../../replica/message.ts";
import type { Flow } from "./flow.ts";
import type { LinkShape } from "./link.ts";

/** Bytes as the network carries them; `hash` is taken once, when they are encoded. */
export interface Packet {
  readonly bytes: Uint8Array;
  readonly hash: number;
  /** What a receiver has read from the bytes, where all may share one reading. */
  reading?: unknown;
}

/** What travels on a connection: first the dialer's greeting, then packets, at last perhaps the end. */
export type Parcel = Packet | "greeting" | "end";

/** One direction between two servers; outlives connections. */
export interface Link {
  readonly shape: LinkShape;
  cut: boolean;
  /** Ends that hold back what they sent in this direction. */
  readonly holding: Set<End>;
}

/** A machine is off, or on with a process or without; `life` tells one process from the next. */
export interface VirtualMachine {
  readonly server: ServerId;
  on: boolean;
  process: boolean;
  life: number;
  /** The connections of the process, by peer. */
  readonly ends: Map<ServerId, End>;
}

/** Each channel keeps its own order and is busy on its own. */
export interface Lane {
  busyUntil: number;
  lastArrival: number;
  /** Where the link limits what may be under way. */
  flow: Flow | null;
  /** Whatever it carries gets lost, and nobody says so. */
  forgotten: boolean;
}

export class End {
  readonly machine: VirtualMachine;
  /** The direction in which this end sends. */
  readonly link: Link;
  readonly other: End;
  open = false;
  /** The life of the process this end belongs to. */
  readonly life: number;
  /** Sent but held back by a cut, in order; null when nothing is. */
  held: Parcel[] | null = null;
  /** Whether a kernel still sends again what a cut holds back. */
  remembered = true;
  /** Something sent was lost, so nothing sent later may arrive. */
  severed = false;
  /** Since when this end waits in vain for an acknowledgement. */
  unackedSince: Instant | null = null;
  readonly lanes: Readonly<Record<Channel, Lane>> = {
    control: { busyUntil: 0, lastArrival: 0, flow: null, forgotten: false },
    bulk: { busyUntil: 0, lastArrival: 0, flow: null, forgotten: false },
  };

  private constructor(place: EndOptions, other: (self: End) => End) {
    this.machine = place.machine;
    this.link = place.link;
    this.life = place.life;
    this.other = other(this);
  }

  /** A cut keeps this from arriving; unless a kernel is left to send it again, it is lost. */
  hold(segment: Parcel): void {
    if (!this.remembered) {
      this.severed = true;
      return;
    }
    this.held ??= [];
    this.held.push(segment);
    this.link.holding.add(this);
  }

  /** The kernel that would send again has given up, or lost power. */
  forget(): void {
    this.remembered = false;
    if (this.held === null) return;
    this.held = null;
    this.severed = true;
    this.link.holding.delete(this);
  }

  /** Both ends of a new connection, neither of them open; the dialer's is returned. */
  static pair(dialer: EndOptions, listener: EndOptions): End {
    return new End(dialer, (self) => new End(listener, () => self));
  }
}

/** Where an end is: on which machine, in which life of it, sending in which direction. */
export interface EndOptions {
  readonly machine: VirtualMachine;
  readonly life: number;
  readonly link: Link;
}
