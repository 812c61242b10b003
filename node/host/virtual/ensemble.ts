/**
 * A whole ensemble in virtual time: real automata, on a network, disks and clocks that only pretend.
 *
 * Nothing here waits. The agenda says what happens next; whoever it happens to is stepped, its effects become
 * new entries of the agenda, and two minutes of five servers pass in a second or two. Every message is
 * encoded once and decoded by each receiver. What is drawn is drawn from one seed, so the same seed is the
 * same run, which `fingerprint` proves.
 */

import { assert } from "../../core/assert.ts";
import type { Automaton, Effect, Input, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import { type Duration, type Instant, milliseconds } from "../../core/time.ts";
import type { Result } from "../../wire/result.ts";
import type { Codec } from "../codec.ts";
import { Agenda } from "./agenda.ts";
import { Clock, type ClockShape } from "./clock.ts";
import type { Packet } from "./connection.ts";
import { Disk, type DiskShape } from "./disk.ts";
import { Fingerprint, hashBytes } from "./fingerprint.ts";
import { Network, type NetworkShape } from "./network.ts";
import type { Death, Reopened, Storage } from "./storage.ts";
import { VirtualServer, type Surroundings } from "./virtual-server.ts";

export interface EnsembleShape<P extends Protocol> {
  readonly servers: readonly ServerId[];
  create(server: ServerId, life: number): Automaton<P>;
  readonly codec: Codec<P>;
  readonly network: NetworkShape;
  readonly seed: number;
  /**
   * Every frame is read once, by whoever receives it first, and the others get the same message: a fifth
   * faster, and blind to a server that changes what is another's too. Off when not given.
   */
  readonly readOnce?: boolean;
  /** 1 ms a sync when not given. */
  disk?(server: ServerId): DiskShape;
  /** Instead of such a disk. */
  storage?(server: ServerId, agenda: Agenda, random: Random): Storage;
  /** Exact when not given. */
  clock?(server: ServerId): ClockShape;
  readonly observer?: Observer<P>;
}

/** Sees all that happens, at the time of the ensemble (not of any server's clock). */
export interface Observer<P extends Protocol> {
  output?(server: ServerId, output: P["output"], time: Instant): void;
  /** Before the automaton sees it. */
  input?(server: ServerId, input: Input<P>, time: Instant): void;
  /** Before it is done. */
  effect?(server: ServerId, effect: Effect<P>, time: Instant): void;
  /** A message leaves, as a frame of so many bytes for each of so many servers. */
  sent?(server: ServerId, message: P["message"], receivers: number, bytes: number): void;
  /** A process ended: killed from outside, or by its host because of its disk. */
  crashed?(server: ServerId, reason: string, time: Instant): void;
  /** A connection was closed because of what came in on it, or by the automaton. */
  closed?(server: ServerId, peer: ServerId, reason: string, time: Instant): void;
}

/** Whether a server began to live; a damaged log is a reason not to. */
export type Started =
  | { readonly ok: true }
  | { readonly ok: false; readonly offset: number; readonly reason: string };

/** An automaton failed an assertion, or threw anything else: a finding. */
export class EnsembleFailure extends Error {
  override readonly name = "EnsembleFailure";
  readonly seed: number;
  readonly server: ServerId;
  readonly time: Instant;

  constructor(seed: number, server: ServerId, time: Instant, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`seed ${seed}: server ${server} failed after ${(time / 1e6).toFixed(6)} s: ${what}`, { cause });
    this.seed = seed;
    this.server = server;
    this.time = time;
  }
}

/** No world has so much to do at one instant: whoever does goes round without an end. */
const MOST_AT_AN_INSTANT = 1e6;

const DISK: DiskShape = { sync: milliseconds(1) };

export class VirtualEnsemble<P extends Protocol> {
  readonly #shape: EnsembleShape<P>;
  readonly #observer: Observer<P>;
  readonly #agenda = new Agenda();
  readonly #network: Network;
  readonly #servers = new Map<ServerId, VirtualServer<P>>();
  readonly #disks = new Map<ServerId, Disk>();
  readonly #lives: Random;
  readonly #fingerprint = new Fingerprint();
  #instant = 0 as Instant;
  #happened = 0;
  /** Who was given something since its last `turn`, in order. */
  readonly #stirred: VirtualServer<P>[] = [];

  constructor(shape: EnsembleShape<P>) {
    this.#shape = shape;
    this.#observer = shape.observer ?? {};
    const random = new Random(shape.seed);
    this.#lives = random.fork();
    this.#network = new Network(shape.servers, shape.network, this.#agenda, random.fork(), {
      connected: (server, peer) => this.#server(server).give({ kind: "connected", server: peer }),
      unreachable: (server, peer) => this.#server(server).give({ kind: "unreachable", server: peer }),
      arrived: (server, from, packet) => this.#receive(server, from, packet),
    });
    for (const id of shape.servers) {
      const clock = new Clock(shape.clock?.(id));
      const storage = shape.storage?.(id, this.#agenda, random.fork()) ?? this.#disk(id, random.fork());
      this.#servers.set(id, new VirtualServer(id, clock, storage, this.#surroundings()));
    }
  }

  /** Virtual time since the ensemble was made. */
  get now(): Instant {
    return this.#agenda.now;
  }

  /** Equal for equal runs: every input of every server so far, with its time and, for messages, its bytes. */
  get fingerprint(): string {
    return this.#fingerprint.toString();
  }

  isRunning(server: ServerId): boolean {
    return this.#server(server).automaton !== null;
  }

  /** The automaton of the life that this server lives just now. */
  automaton(server: ServerId): Automaton<P> | null {
    return this.#server(server).automaton;
  }

  /** For making it slow, full, wiped or damaged. */
  disk(server: ServerId): Disk {
    const disk = this.#disks.get(server);
    assert(disk !== undefined, () => `server ${server} has no such disk`);
    return disk;
  }

  /**
   * Begins a life: the first, or another after a crash of the process or of the machine, which is turned on
   * again.
   */
  start(id: ServerId): Started {
    const reopened = this.#open(id);
    assert(!(reopened instanceof Promise), `what server ${id} knows needs time to be read`);
    return this.#begin(id, reopened);
  }

  /** The same, where the storage needs time to say what it holds. */
  async startWhenRead(id: ServerId): Promise<Started> {
    return this.#begin(id, await this.#open(id));
  }

  /** The process is killed; peers are told by its kernel. */
  crashProcess(id: ServerId, reason = "killed"): void {
    if (!this.isRunning(id)) return;
    this.#network.processDied(id);
    this.#end(id, reason, "process");
  }

  /** The machine loses power; nobody is told. */
  crashMachine(id: ServerId): void {
    this.#network.machineDied(id);
    if (this.isRunning(id)) this.#end(id, "power off", "machine");
  }

  /** The process stands still; its connections stay, and what arrives waits. */
  pause(id: ServerId): void {
    this.#server(id).pause();
  }

  resume(id: ServerId): void {
    this.#server(id).resume();
  }

  /** Something on the way forgets the bulk half of the connection between the two. */
  forgetBulk(one: ServerId, other: ServerId, isNoticed = true): void {
    this.#network.forgetBulk(one, other, isNoticed);
  }

  /** Its time of day is set; its process sees it with whatever comes next. */
  jumpClock(id: ServerId, by: Duration): void {
    this.#server(id).jump(by);
  }

  /** Its monotonic clock leaps ahead, as a machine sees it that was asleep. */
  leapClock(id: ServerId, by: Duration): void {
    this.#server(id).leap(by);
  }

  /** Nothing passes from one to the other any more; the other direction is another cut. */
  cut(from: ServerId, to: ServerId): void {
    this.#network.cut(from, to);
  }

  heal(from: ServerId, to: ServerId): void {
    this.#network.heal(from, to);
  }

  isConnected(server: ServerId, peer: ServerId): boolean {
    return this.#network.isConnected(server, peer);
  }

  /** What a client asks of a server, now; false when the server does not run. */
  request(server: ServerId, request: P["request"]): boolean {
    if (!this.isRunning(server)) return false;
    this.#server(server).give({ kind: "request", request });
    return true;
  }

  /** Writes bytes into the connection from one to the other, as a peer with an error would. */
  inject(from: ServerId, to: ServerId, bytes: Uint8Array): void {
    this.#network.send(from, to, { bytes, hash: hashBytes(bytes) }, "bulk");
  }

  /** Plans something; for schedules of faults and for load. */
  at(time: Instant, action: () => void): void {
    this.#agenda.at(time, action);
  }

  /** Lets everything happen that is to happen up to this time, which then it is. */
  run(until: Instant): void {
    this.#takeTurns();
    while (this.#agenda.next <= until) this.step();
    this.#agenda.idle(until);
  }

  /**
   * The same, where storage keeps promises: what comes of them happens at the instant at which they are kept.
   * `settled` is null when no promise was made or kept since it was asked last.
   */
  async runSettled(until: Instant, settled: () => Promise<void> | null): Promise<void> {
    for (;;) {
      this.#takeTurns();
      const settling = settled();
      if (settling !== null) await settling;
      else if (this.#agenda.next <= until) this.step();
      else break;
    }
    this.#agenda.idle(until);
  }

  /** Lets everything happen that is planned for the next instant; false when nothing is. */
  step(): boolean {
    this.#takeTurns();
    const instant = this.#agenda.next;
    if (instant === Infinity) return false;
    while (this.#agenda.next === instant) {
      while (this.#agenda.next === instant) {
        this.#agenda.advance();
        this.#count();
      }
      this.#takeTurns();
    }
    return true;
  }

  /** So that a run in which time stands still ends with a sentence. */
  #count(): void {
    if (this.now !== this.#instant) {
      this.#instant = this.now;
      this.#happened = 0;
    }
    this.#happened += 1;
    if (this.#happened <= MOST_AT_AN_INSTANT) return;
    const time = (this.now / 1e6).toFixed(6);
    throw new Error(
      `seed ${this.#shape.seed}: time stands still after ${time} s: servers go round without an end`,
    );
  }

  /** Nothing more is at hand: whoever was given something has its turn. */
  #takeTurns(): void {
    // Whose turn stirs somebody else lengthens the list that is being gone through.
    for (let next = 0; next < this.#stirred.length; next++) (this.#stirred[next] as VirtualServer<P>).turn();
    this.#stirred.length = 0;
  }

  #surroundings(): Surroundings<P> {
    const observer = this.#observer;
    return {
      agenda: this.#agenda,
      send: (from, to, message) => this.#send(from, to, message),
      close: (server, peer, reason) => this.#close(server, peer, reason),
      input: (server, input) => {
        this.#count();
        this.#fingerprint.mix(server * 8 + KINDS[input.kind]);
        this.#fingerprint.mix(this.now);
        observer.input?.(server, input, this.now);
      },
      effect: (server, effect) => observer.effect?.(server, effect, this.now),
      output: (server, output) => observer.output?.(server, output, this.now),
      stirred: (server) => this.#stirred.push(server),
      failed: (server, error) => {
        if (error instanceof EnsembleFailure) throw error;
        throw new EnsembleFailure(this.#shape.seed, server, this.now, error);
      },
    };
  }

  #send(from: ServerId, to: readonly ServerId[], message: P["message"]): void {
    if (to.length === 0) return;
    const { codec } = this.#shape;
    const bytes = codec.encode(message);
    const packet: Packet = { bytes, hash: hashBytes(bytes) };
    const channel = codec.channel(message);
    for (const server of to) {
      assert(server !== from, "a server sends to itself");
      this.#network.send(from, server, packet, channel);
    }
    this.#observer.sent?.(from, message, to.length, bytes.length);
  }

  #readOnce(packet: Packet): Result<P["message"]> {
    packet.reading ??= this.#shape.codec.decode(packet.bytes);
    return packet.reading as Result<P["message"]>;
  }

  #receive(id: ServerId, from: ServerId, packet: Packet): void {
    const { bytes, hash } = packet;
    const message = this.#shape.readOnce === true ? this.#readOnce(packet) : this.#shape.codec.decode(bytes);
    if (!message.ok) {
      this.#close(id, from, message.reason);
      return;
    }
    this.#fingerprint.mix(hash);
    this.#server(id).give({ kind: "message", from, message: message.value });
  }

  #close(id: ServerId, peer: ServerId, reason: string): void {
    if (!this.isConnected(id, peer)) return;
    this.#observer.closed?.(id, peer, reason, this.now);
    this.#server(id).dropMessagesFrom(peer);
    this.#network.close(id, peer);
  }

  #open(id: ServerId): Reopened | Promise<Reopened> {
    const server = this.#server(id);
    assert(server.automaton === null, `server ${id} runs already`);
    return server.storage.open({
      durable: (upTo) => server.give({ kind: "durable", upTo }),
      failed: (reason) => this.crashProcess(id, reason),
    });
  }

  #begin(id: ServerId, reopened: Reopened): Started {
    if (!reopened.ok) return reopened;
    const server = this.#server(id);
    const life = this.#lives.uint32();
    server.begin(this.#shape.create(id, life));
    const { recovered } = reopened;
    server.give({ kind: "start", recovered, life, timeOfDay: server.clock.timeOfDay(this.now) });
    this.#network.begin(id);
    return { ok: true };
  }

  #disk(id: ServerId, random: Random): Disk {
    const disk = new Disk(this.#shape.disk?.(id) ?? DISK, this.#agenda, random);
    this.#disks.set(id, disk);
    return disk;
  }

  #end(id: ServerId, reason: string, how: Death): void {
    this.#server(id).end(how);
    this.#observer.crashed?.(id, reason, this.now);
  }

  #server(id: ServerId): VirtualServer<P> {
    const server = this.#servers.get(id);
    assert(server !== undefined, () => `server ${id} is not of this ensemble`);
    return server;
  }
}

const KINDS: Readonly<Record<Input<Protocol>["kind"], number>> = {
  start: 0,
  message: 1,
  timeout: 2,
  durable: 3,
  connected: 4,
  unreachable: 5,
  request: 6,
  turn: 7,
  clock: 8,
};
