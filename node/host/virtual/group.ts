/**
 * A group in virtual time: up to a thousand members that hear each other's datagrams, or not.
 *
 * Two agendas make the order of one instant: what arrives goes before what is due. Every announcement is
 * sealed, and opened once for all whom it reaches; what is drawn is drawn from one seed, so the same seed is
 * the same run, which `fingerprint` proves.
 */

import { assert } from "../../core/assert.ts";
import type { Protocol } from "../../core/automaton.ts";
import type { GroupInput, Member } from "../../core/group.ts";
import type { MemberId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import type { Instant } from "../../core/time.ts";
import { GroupCounts } from "../group-counts.ts";
import { type DatagramCodec, Envelope, type Opened } from "../group-datagram.ts";
import { Agenda } from "./agenda.ts";
import { Clock, type ClockShape } from "./clock.ts";
import { Fingerprint, hashBytes } from "./fingerprint.ts";
import { GroupPlace, type GroupSurroundings } from "./group-member.ts";
import { DatagramNetwork, type GroupNetworkShape, type NetworkCounts } from "./group-network.ts";

export interface GroupShape<P extends Protocol> {
  readonly members: readonly MemberId[];
  create(member: MemberId): Member<P>;
  readonly codec: DatagramCodec<P>;
  readonly network: GroupNetworkShape;
  readonly seed: number;
  /** The name of the group; all members have the same. */
  readonly cluster?: string;
  /** Exact when not given. */
  clock?(member: MemberId): ClockShape;
  readonly observer?: GroupObserver<P>;
}

/** Sees what happens, at the time of the group (not of any member's clock). */
export interface GroupObserver<P extends Protocol> {
  /** Before the member sees it. */
  input?(member: MemberId, input: GroupInput<P>, time: Instant): void;
  announced?(member: MemberId, message: P["message"], time: Instant): void;
  output?(member: MemberId, output: P["output"], time: Instant): void;
  /** It was not sent, and this is why. */
  refused?(member: MemberId, reason: string, time: Instant): void;
}

/** A member failed an assertion, or threw anything else: a finding. */
export class GroupFailure extends Error {
  override readonly name = "GroupFailure";

  constructor(seed: number, member: MemberId, time: Instant, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`seed ${seed}: member ${member} failed after ${(time / 1e6).toFixed(6)} s: ${what}`, { cause });
  }
}

export const MOST_MEMBERS = 1000;

/** A datagram as all of its listeners find it. */
interface Packet<P extends Protocol> {
  readonly opened: Opened<P["message"]>;
  readonly kind: string;
  readonly hash: number;
}

export class VirtualGroup<P extends Protocol> {
  readonly counts = new GroupCounts();
  readonly #shape: GroupShape<P>;
  readonly #observer: GroupObserver<P>;
  readonly #arrivals = new Agenda();
  readonly #timers = new Agenda();
  readonly #envelope: Envelope<P>;
  readonly #network: DatagramNetwork<GroupPlace<P>, Packet<P>>;
  readonly #places: ReadonlyMap<MemberId, GroupPlace<P>>;
  readonly #lives: Random;
  readonly #fingerprint = new Fingerprint();
  #now = 0 as Instant;

  constructor(shape: GroupShape<P>) {
    const { members } = shape;
    assert(members.length <= MOST_MEMBERS, () => `${members.length} members, ${MOST_MEMBERS} are the most`);
    this.#shape = shape;
    this.#observer = shape.observer ?? {};
    this.#envelope = new Envelope(shape.cluster ?? "virtual", shape.codec);
    const random = new Random(shape.seed);
    this.#lives = random.fork();
    const around = this.#surroundings();
    const place = (id: MemberId): GroupPlace<P> => new GroupPlace(id, new Clock(shape.clock?.(id)), around);
    this.#places = new Map(members.map((id) => [id, place(id)]));
    assert(this.#places.size === members.length, "a member is given twice");
    this.#network = new DatagramNetwork(
      [...this.#places.values()],
      shape.network,
      random.fork(),
      (at, arrive) => this.#arrivals.at(at, arrive),
      (listener, packet) => this.#receive(listener, packet),
    );
  }

  /** Virtual time since the group was made. */
  get now(): Instant {
    return this.#now;
  }

  /** Equal for equal runs: every input so far, with its time and, for messages, its bytes. */
  get fingerprint(): string {
    return this.#fingerprint.toString();
  }

  /** What the network took away or gave twice, a listener each. */
  get lost(): Readonly<NetworkCounts> {
    return this.#network.counts;
  }

  isRunning(member: MemberId): boolean {
    return this.member(member) !== null;
  }

  /** The present life of this member. */
  member(member: MemberId): Member<P> | null {
    return this.#place(member).member;
  }

  /** Begins a life: the first, however late, or another after a stop. */
  start(id: MemberId): void {
    const place = this.#place(id);
    assert(place.member === null, () => `member ${id} runs already`);
    place.begin(this.#shape.create(id), this.#lives.uint32());
  }

  /** Ends a life in silence; what it had announced still arrives. */
  stop(id: MemberId): void {
    this.#place(id).end();
  }

  request(id: MemberId, request: P["request"]): void {
    this.#place(id).give({ kind: "request", request });
  }

  /** Nothing passes from one to the other any more; the other direction is another cut. */
  cut(from: MemberId, to: MemberId): void {
    this.#network.cut(from, to);
  }

  heal(from: MemberId, to: MemberId): void {
    this.#network.heal(from, to);
  }

  /** A datagram that anybody may have sent reaches everybody, now. */
  inject(datagram: Uint8Array): void {
    const opened = this.#envelope.open(datagram);
    const kind = opened.kind === "message" ? this.#shape.codec.kind(opened.message) : opened.kind;
    this.#network.inject({ opened, kind, hash: hashBytes(datagram) }, this.#now);
  }

  /** Plans something, before what is due then. */
  at(time: Instant, action: () => void): void {
    this.#arrivals.at(time, action);
  }

  /** Lets everything happen up to this time, which then it is; or until it is `enough`, and says whether. */
  run(until: Instant, enough: () => boolean = () => false): boolean {
    while (Math.min(this.#arrivals.next, this.#timers.next) <= until) {
      if (enough()) return true;
      this.step();
    }
    if (until > this.#now) this.#now = until;
    return enough();
  }

  /** Lets the next thing happen; false when nothing is planned. */
  step(): boolean {
    const isArrival = this.#arrivals.next <= this.#timers.next;
    const agenda = isArrival ? this.#arrivals : this.#timers;
    if (agenda.size === 0) return false;
    this.#now = agenda.next;
    agenda.advance();
    return true;
  }

  #surroundings(): GroupSurroundings<P> {
    const now = (): Instant => this.#now;
    const observer = this.#observer;
    return {
      get now() {
        return now();
      },
      plan: (at, ring) => this.#timers.at(at, ring),
      announce: (from, message) => this.#announce(from, message),
      input: (member, input) => {
        this.#fingerprint.mix(member * 8 + KINDS[input.kind]);
        this.#fingerprint.mix(this.#now);
        observer.input?.(member, input, this.#now);
      },
      output: (member, output) => observer.output?.(member, output, this.#now),
      failed: (member, error) => {
        throw error instanceof GroupFailure
          ? error
          : new GroupFailure(this.#shape.seed, member, this.#now, error);
      },
    };
  }

  #announce(from: MemberId, message: P["message"]): void {
    const sealed = this.#envelope.seal(from, message);
    if (!sealed.ok) {
      this.counts.not.tooLong += 1;
      this.#observer.refused?.(from, sealed.reason, this.#now);
      return;
    }
    const datagram = sealed.value;
    const kind = this.#shape.codec.kind(message);
    this.counts.add("sent", kind);
    this.#observer.announced?.(from, message, this.#now);
    const packet = { opened: this.#envelope.open(datagram), kind, hash: hashBytes(datagram) };
    this.#network.announce(from, packet, this.#now);
  }

  #receive(place: GroupPlace<P>, { opened, kind, hash }: Packet<P>): void {
    const { not } = this.counts;
    if (place.member === null) not.unheard += 1;
    else if (opened.kind !== "message") not[opened.kind] += 1;
    else if (opened.from === place.id) not.own += 1;
    else {
      this.counts.add("given", kind);
      this.#fingerprint.mix(hash);
      place.give({ kind: "message", from: opened.from, message: opened.message });
    }
  }

  #place(id: MemberId): GroupPlace<P> {
    const place = this.#places.get(id);
    assert(place !== undefined, () => `member ${id} has no place in this group`);
    return place;
  }
}

const KINDS: Readonly<Record<GroupInput<Protocol>["kind"], number>> = {
  start: 0,
  message: 1,
  timeout: 2,
  request: 3,
};
