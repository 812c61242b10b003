/**
 * The network in virtual time: who can reach whom, how long it takes, and how each side learns that it cannot
 * any more.
 *
 * It behaves as TCP does between processes on machines. A process that dies sends its peers an end; a machine
 * that loses power sends nothing, and whoever sends to it afterwards learns of it when the machine is back
 * and knows nothing of the connection, or when the kernel has waited long enough. A cut link loses nothing by
 * itself: what was under way is sent again when it heals, in order.
 */

import { assert } from "../../core/assert.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import { after, type Duration, type Instant, milliseconds, seconds } from "../../core/time.ts";
import type { Channel } from "../../replica/message.ts";
import type { Agenda } from "./agenda.ts";
import { End, type Lane, type Link, type Packet, type Parcel, type VirtualMachine } from "./connection.ts";
import { Dialer, type Patience } from "./dialer.ts";
import { Flow } from "./flow.ts";
import { drawDelay, type LinkShape, sendingTime } from "./link.ts";

export interface NetworkShape {
  link(from: ServerId, to: ServerId): LinkShape;
  /** How long a kernel waits for acknowledgements before it gives a connection up; 30 s when not given. */
  readonly acknowledgement?: Duration;
  /** How long a kernel waits at most before it sends again after a cut has healed; 400 ms when not given. */
  readonly resend?: Duration;
  /** 1 s, 50 ms and 1 s when not given. */
  readonly dialing?: Patience;
}

/** Who is told what happens, in the order in which a process would see it. */
export interface NetworkUser {
  connected(server: ServerId, peer: ServerId): void;
  unreachable(server: ServerId, peer: ServerId): void;
  arrived(server: ServerId, from: ServerId, packet: Packet): void;
}

const ACKNOWLEDGEMENT = seconds(30);
const RESEND = milliseconds(400);
const DIALING: Patience = { answer: seconds(1), first: milliseconds(50), last: seconds(1) };
/** As long as the TCP host waits for a sign of life. */
const BULK_SILENCE = milliseconds(2500);
const HOUR = 3600e6;

export class Network {
  readonly #agenda: Agenda;
  readonly #random: Random;
  readonly #user: NetworkUser;
  readonly #acknowledgement: Duration;
  readonly #resend: Duration;
  readonly #machines = new Map<ServerId, VirtualMachine>();
  readonly #links = new Map<ServerId, Map<ServerId, Link>>();
  readonly #dialers: Dialer[] = [];

  constructor(
    servers: readonly ServerId[],
    shape: NetworkShape,
    agenda: Agenda,
    random: Random,
    user: NetworkUser,
  ) {
    this.#agenda = agenda;
    this.#random = random;
    this.#user = user;
    this.#acknowledgement = shape.acknowledgement ?? ACKNOWLEDGEMENT;
    this.#resend = shape.resend ?? RESEND;
    for (const server of servers) {
      this.#machines.set(server, { server, on: true, process: false, life: 0, ends: new Map() });
      const others = servers.filter((other) => other !== server);
      const link = (to: ServerId): Link => ({
        shape: shape.link(server, to),
        cut: false,
        holding: new Set(),
      });
      this.#links.set(server, new Map(others.map((to) => [to, link(to)])));
    }
    const onAnswer = (dialer: Dialer, life: number): void => this.#establish(dialer, life);
    for (const caller of this.#machines.values()) {
      for (const listener of this.#machines.values()) {
        if (listener.server >= caller.server) continue;
        const there = this.#link(caller.server, listener.server);
        const back = this.#link(listener.server, caller.server);
        const route = { caller, listener, there, back };
        this.#dialers.push(new Dialer(route, shape.dialing ?? DIALING, agenda, random, onAnswer));
      }
    }
  }

  /** Sends on the connection that there is; without one, the packet is dropped. */
  send(from: ServerId, to: ServerId, packet: Packet, channel: Channel): void {
    const end = this.#machine(from).ends.get(to);
    if (end === undefined) return;
    const lane = end.lanes[channel];
    if (lane.forgotten) return;
    const { shape } = end.link;
    const size = packet.bytes.length;
    const ready = Math.max(this.#agenda.now, lane.busyUntil);
    const departure = this.#leave(end, lane, ready, size) + sendingTime(shape, size);
    const arrival = Math.max(lane.lastArrival, departure + drawDelay(shape, this.#random)) as Instant;
    lane.busyUntil = departure;
    lane.lastArrival = arrival;
    this.#agenda.at(arrival, () => this.#arrive(end, packet));
  }

  #leave({ link, other }: End, lane: Lane, ready: number, size: number): number {
    const { window, delay } = link.shape;
    if (window === undefined) return ready;
    lane.flow ??= new Flow(window);
    return lane.flow.leave(ready, size, delay + other.link.shape.delay);
  }

  isConnected(server: ServerId, peer: ServerId): boolean {
    return this.#machine(server).ends.has(peer);
  }

  /** The process ends the connection; both sides learn of it. */
  close(server: ServerId, peer: ServerId): void {
    const end = this.#machine(server).ends.get(peer);
    if (end !== undefined) this.#breakOff(end);
  }

  /** A process begins on this server; its machine is turned on if it was off. */
  begin(server: ServerId): void {
    const machine = this.#machine(server);
    machine.on = true;
    machine.process = true;
    machine.life += 1;
    for (const peer of this.#machines.values()) {
      const end = peer.ends.get(server);
      if (end !== undefined) this.#sendAgainSoon(end);
    }
    for (const dialer of this.#dialers) if (dialer.caller === machine) dialer.begin();
  }

  /** The process dies; its kernel tells the peers. */
  processDied(server: ServerId): void {
    const machine = this.#machine(server);
    machine.process = false;
    for (const end of machine.ends.values()) {
      end.open = false;
      this.#hangUp(end);
    }
    machine.ends.clear();
  }

  /** The machine loses power, and what it had sent is gone with it: nobody is told. */
  machineDied(server: ServerId): void {
    const machine = this.#machine(server);
    machine.on = false;
    machine.process = false;
    for (const end of machine.ends.values()) {
      end.open = false;
      end.forget();
      end.severed = true;
    }
    machine.ends.clear();
    // Kernels also hold back what processes sent that died before.
    for (const link of this.#linksOf(server)) for (const end of link.holding) end.forget();
  }

  /** From now on nothing passes in this direction. */
  cut(from: ServerId, to: ServerId): void {
    this.#link(from, to).cut = true;
  }

  heal(from: ServerId, to: ServerId): void {
    const link = this.#link(from, to);
    link.cut = false;
    const there = this.#machine(from).ends.get(to);
    const back = this.#machine(to).ends.get(from);
    for (const end of new Set([...link.holding, there, back]))
      if (end !== undefined) this.#sendAgainSoon(end);
  }

  /**
   * The bulk half of the connection carries nothing more. Both sides hear by its silence that it is gone,
   * each for itself, unless they are not to notice.
   */
  forgetBulk(one: ServerId, other: ServerId, isNoticed: boolean): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const end = this.#machine(from).ends.get(to);
      if (end === undefined || end.lanes.bulk.forgotten) continue;
      end.lanes.bulk.forgotten = true;
      if (!isNoticed) continue;
      const silence = Math.round(BULK_SILENCE * (1 + this.#random.unit() / 5));
      this.#agenda.after(silence, () => {
        if (end.other.open) this.#breakOff(end.other);
      });
    }
  }

  #establish({ caller, listener }: Dialer, life: number): void {
    const there = this.#link(caller.server, listener.server);
    const back = this.#link(listener.server, caller.server);
    const end = End.pair(
      { machine: caller, life: caller.life, link: there },
      { machine: listener, life, link: back },
    );
    end.open = true;
    caller.ends.set(listener.server, end);
    const arrival = after(this.#agenda.now, drawDelay(there.shape, this.#random));
    end.lanes.control.lastArrival = arrival;
    end.lanes.bulk.lastArrival = arrival;
    this.#agenda.at(arrival, () => this.#arrive(end, "greeting"));
    this.#user.connected(caller.server, listener.server);
    const breaksPerHour = (there.shape.breaksPerHour ?? 0) + (back.shape.breaksPerHour ?? 0);
    if (breaksPerHour === 0) return;
    this.#agenda.after(Math.round((HOUR / breaksPerHour) * this.#random.exponential()), () => {
      if (end.open) this.#breakOff(end);
    });
  }

  /** What `end` sent reaches the other side, or would. */
  #arrive(end: End, segment: Parcel): void {
    if (end.severed) return;
    const { other, link } = end;
    if (link.cut || end.held !== null) {
      end.hold(segment);
      this.#await(end);
    } else if (!other.machine.on) this.#await(end);
    else if (segment === "greeting") this.#welcome(end);
    else if (segment === "end") {
      // It may have overtaken the greeting, which must not open what has ended.
      end.severed = true;
      if (other.open) this.#shut(other);
    } else if (other.open) {
      this.#user.arrived(other.machine.server, end.machine.server, segment);
      if (other.link.cut) this.#await(end);
    } else this.#refuse(end);
  }

  #welcome(end: End): void {
    const { other } = end;
    const { machine } = other;
    if (!machine.process || machine.life !== other.life) {
      this.#refuse(end);
      return;
    }
    const old = machine.ends.get(end.machine.server);
    if (old !== undefined) this.#shut(old);
    other.open = true;
    machine.ends.set(end.machine.server, other);
    this.#user.connected(machine.server, end.machine.server);
  }

  /** The receiving kernel knows of no such connection and says so. */
  #refuse(end: End): void {
    const back = end.other.link;
    this.#agenda.after(drawDelay(back.shape, this.#random), () => {
      if (!end.open) return;
      if (back.cut) this.#await(end);
      else this.#shut(end);
    });
  }

  /** Nothing acknowledges what `end` sent: it gives up when that lasts. */
  #await(end: End): void {
    if (!end.open || end.unackedSince !== null) return;
    const since = this.#agenda.now;
    end.unackedSince = since;
    this.#agenda.after(this.#acknowledgement, () => {
      if (!end.open || end.unackedSince !== since) return;
      end.forget();
      this.#shut(end);
    });
  }

  #sendAgainSoon(end: End): void {
    if (end.held === null && end.unackedSince === null) return;
    this.#agenda.after(Math.round(this.#resend * this.#random.unit()), () => {
      if (end.link.cut) return;
      const held = end.held ?? [];
      end.held = null;
      end.link.holding.delete(end);
      for (const segment of held) this.#arrive(end, segment);
      if (end.unackedSince === null || end.other.link.cut || !end.other.machine.on) return;
      if (end.other.open) end.unackedSince = null;
      else this.#refuse(end);
    });
  }

  #breakOff(end: End): void {
    this.#hangUp(end);
    this.#shut(end);
  }

  #hangUp(end: End): void {
    this.#agenda.after(drawDelay(end.link.shape, this.#random), () => this.#arrive(end, "end"));
  }

  #shut(end: End): void {
    const { machine } = end;
    const peer = end.other.machine;
    end.open = false;
    machine.ends.delete(peer.server);
    this.#user.unreachable(machine.server, peer.server);
    this.#dialers.find(({ caller, listener }) => caller === machine && listener === peer)?.again();
  }

  #machine(server: ServerId): VirtualMachine {
    const machine = this.#machines.get(server);
    assert(machine !== undefined, "a server outside the ensemble");
    return machine;
  }

  #link(from: ServerId, to: ServerId): Link {
    const link = this.#links.get(from)?.get(to);
    assert(link !== undefined, "a link outside the ensemble");
    return link;
  }

  #linksOf = (server: ServerId): Iterable<Link> => this.#links.get(server)?.values() ?? [];
}
