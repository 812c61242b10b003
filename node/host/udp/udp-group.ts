/**
 * Runs one member of a group on this machine: its announcements as datagrams to a multicast address, its
 * timers on the machine's monotonic clock.
 *
 * It joins first and begins later, at an instant that all members can be given, so that they begin together.
 * A timer that is due waits until the socket was looked at once more and had nothing: what is at hand goes
 * first. Who is woken late begins late and speaks late; what it arms then counts from when it should have
 * been woken, so lateness does not add up from one timer to the next.
 */

import { randomBytes } from "node:crypto";
import { unreachable } from "../../core/assert.ts";
import type { Protocol } from "../../core/automaton.ts";
import type { GroupEffect, GroupInput, Member } from "../../core/group.ts";
import type { MemberId } from "../../core/identity.ts";
import { between, type Duration, type Instant } from "../../core/time.ts";
import { GroupCounts } from "../group-counts.ts";
import { type DatagramCodec, Envelope, type Opened } from "../group-datagram.ts";
import { GroupProof } from "../group-proof.ts";
import { monotonic } from "../monotonic.ts";
import { Timers } from "../tcp/timers.ts";
import { Alarm } from "../alarm.ts";
import { kernelDrops } from "./kernel-drops.ts";
import { Multicast, type MulticastOptions } from "./multicast.ts";

export interface UdpGroupOptions<P extends Protocol> extends MulticastOptions {
  readonly self: MemberId;
  readonly cluster: string;
  /** Made of the group's secret; without one anybody may speak. */
  readonly key?: Uint8Array | null;
  readonly member: Member<P>;
  readonly codec: DatagramCodec<P>;
  /** An instant of the machine's monotonic clock; at once when it has passed. */
  readonly startAt: Instant;
  readonly output: (output: P["output"], now: Instant) => void;
  readonly tell: (event: GroupEvent) => void;
  /** An announcement leaves. */
  readonly announced?: (message: P["message"], now: Instant) => void;
}

export type GroupEvent =
  | { readonly kind: "begun"; readonly life: number; readonly late: Duration }
  /** What is not given or not sent: the first of each reason. */
  | { readonly kind: NotGiven | "own"; readonly address: string; readonly reason: string }
  | { readonly kind: "tooLong" | "unsent"; readonly reason: string };

type NotGiven = Exclude<Opened<unknown>["kind"], "message">;

/** A timer waits so often at most: under a flood it comes late, and does come. */
const LOOKS = 64;
const MOST_REASONS = 100;

export class UdpGroup<P extends Protocol> {
  readonly counts = new GroupCounts();
  readonly #options: UdpGroupOptions<P>;
  readonly #envelope: Envelope<P>;
  readonly #socket: Multicast;
  readonly #alarm: Alarm;
  readonly #timers: Timers<P["timer"]>;
  /** Of the present life. */
  #member: Member<P>;
  /** When it is to begin. */
  #due: Instant;
  readonly #told = new Set<string>();
  /** Inputs that came while another was being dealt with, and when they were due where that was planned. */
  readonly #inputs: { readonly input: GroupInput<P>; readonly due: Instant | undefined }[] = [];
  #state: "joined" | "begun" | "closed" = "joined";
  #isBusy = false;
  /** Datagrams that were read from the socket. */
  #read = 0;

  private constructor(options: UdpGroupOptions<P>, socket: Multicast, alarm: Alarm) {
    this.#options = options;
    const { cluster, codec, key = null } = options;
    const proof = key === null ? null : new GroupProof(key, () => Date.now() * 1e3);
    this.#envelope = new Envelope(cluster, codec, proof);
    this.#socket = socket;
    this.#alarm = alarm;
    this.#member = options.member;
    this.#due = Math.max(options.startAt, monotonic()) as Instant;
    const fire = (timer: P["timer"], due: Instant): void => this.#input({ kind: "timeout", timer }, due);
    this.#timers = new Timers({ now: monotonic }, fire, alarm);
  }

  /** Joins the group; the member begins at its instant. */
  static async join<P extends Protocol>(options: UdpGroupOptions<P>): Promise<UdpGroup<P>> {
    // Neither calls before there is a group to be called: what comes earlier comes before the member begins.
    let group: UdpGroup<P> | null = null;
    const alarm = await Alarm.open(() => group !== null && group.#ring());
    const socket = await Multicast.join(options, (datagram, { address }) => {
      if (group !== null) group.#receive(datagram, address);
    }).catch(async (error: unknown) => {
      await alarm.close();
      throw error;
    });
    group = new UdpGroup(options, socket, alarm);
    alarm.set(group.#due);
    return group;
  }

  /** Datagrams that the kernel threw away because they were not read in time; null where it does not tell. */
  get kernelDrops(): number | null {
    return kernelDrops(this.#options.port);
  }

  request(request: P["request"]): void {
    this.#input({ kind: "request", request });
  }

  /**
   * Ends the present life in silence, and begins another at an instant; the machine's place in the group
   * stays.
   */
  again(member: Member<P>, startAt: Instant): void {
    if (this.#state === "closed") return;
    this.#state = "joined";
    this.#timers.clear();
    this.#inputs.length = 0;
    this.#isBusy = false;
    this.#member = member;
    this.#due = Math.max(startAt, monotonic()) as Instant;
    this.#alarm.set(this.#due);
  }

  /** Ends in silence; what was announced has left. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#timers.clear();
    await Promise.all([this.#socket.close(), this.#alarm.close()]);
  }

  #ring(): void {
    if (this.#state === "joined") this.#begin();
    else this.#look(LOOKS);
  }

  #begin(): void {
    this.#state = "begun";
    const life = randomBytes(4).readUInt32BE();
    const late = between(this.#due, monotonic());
    this.#options.tell({ kind: "begun", life, late });
    this.#input({ kind: "start", life }, this.#due);
  }

  /** Between two of these the event loop reads what the socket has. */
  #look(looks: number): void {
    setImmediate(() => {
      const read = this.#read;
      setImmediate(() => {
        if (this.#state === "closed") return;
        if (this.#read > read && looks > 1) this.#look(looks - 1);
        else this.#timers.ring();
      });
    });
  }

  #receive(datagram: Uint8Array, address: string): void {
    if (this.#state === "closed") return;
    this.#read += 1;
    const { not } = this.counts;
    const { self, codec } = this.#options;
    const opened = this.#envelope.open(datagram);
    if (this.#state === "joined") not.unheard += 1;
    else if (opened.kind !== "message") {
      not[opened.kind] += 1;
      this.#tell({ kind: opened.kind, address, reason: opened.reason });
    } else if (opened.from === self) {
      not.own += 1;
      if (address !== this.#options.interface)
        this.#tell({ kind: "own", address, reason: `another machine is member ${self} too` });
    } else {
      this.counts.add("given", codec.kind(opened.message));
      this.#input({ kind: "message", from: opened.from, message: opened.message });
    }
  }

  #input(input: GroupInput<P>, due?: Instant): void {
    if (this.#state !== "begun") return;
    this.#inputs.push({ input, due });
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
      const now = monotonic();
      for (const effect of this.#member.step(next.input, now)) {
        this.#do(effect, now, next.due);
        if (this.#state !== "begun") return;
      }
    }
    this.#isBusy = false;
  }

  /** An output may end the life. */
  #do(effect: GroupEffect<P>, now: Instant, due: Instant | undefined): void {
    switch (effect.kind) {
      case "announce":
        this.#announce(effect.message, now);
        break;
      case "arm":
        this.#timers.arm(effect.timer, effect.after, due);
        break;
      case "disarm":
        this.#timers.disarm(effect.timer);
        break;
      case "output":
        this.#options.output(effect.output, now);
        break;
      default:
        unreachable(effect);
    }
  }

  #announce(message: P["message"], now: Instant): void {
    const { self, codec, announced } = this.#options;
    const sealed = this.#envelope.seal(self, message);
    if (!sealed.ok) {
      this.counts.not.tooLong += 1;
      this.#tell({ kind: "tooLong", reason: sealed.reason });
      return;
    }
    this.counts.add("sent", codec.kind(message));
    this.#socket.send(sealed.value, (error) => {
      if (error === null) return;
      this.counts.not.unsent += 1;
      this.#tell({ kind: "unsent", reason: error.message });
    });
    announced?.(message, now);
  }

  #tell(event: Exclude<GroupEvent, { kind: "begun" }>): void {
    const told = `${event.kind} ${"address" in event ? event.address : ""} ${event.reason}`;
    if (this.#told.has(told) || this.#told.size === MOST_REASONS) return;
    this.#told.add(told);
    this.#options.tell(event);
  }
}
