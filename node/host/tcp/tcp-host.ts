/**
 * Runs one automaton on this machine: its messages over TCP, its records on the disk, its timers on the
 * clock.
 *
 * Inputs are handed over the moment they come. Once the event loop has gone through everything that was ready
 * in one poll, its next phase (`setImmediate`) brings the `turn`, and after it everything leaves: one write
 * per connection, one write to the disk. So what travels together is what was there together, and nothing
 * waits for company.
 */

import { randomBytes } from "node:crypto";
import { assert, unreachable } from "../../core/assert.ts";
import type { Automaton, Effect, Input, Protocol } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import type { Instant } from "../../core/time.ts";
import type { Codec } from "../codec.ts";
import { Clock } from "./clock.ts";
import type { Address } from "./link.ts";
import { Peers, type Protection } from "./peers.ts";
import type { Disk } from "./store/disk.ts";
import { Store } from "./store/store.ts";
import { Timers } from "./timers.ts";

export interface TcpHostOptions<P extends Protocol> {
  readonly self: ServerId;
  /** The whole ensemble; this server listens at its own address. */
  readonly servers: ReadonlyMap<ServerId, Address>;
  readonly cluster: string;
  /** What keeps strangers out; nothing, unless it is said. */
  readonly protection?: Protection;
  readonly automaton: Automaton<P>;
  readonly codec: Codec<P>;
  readonly disk: Disk;
  readonly output: (output: P["output"], now: Instant) => void;
  /** What happens between the servers and on the disk, for people. */
  readonly tell: (event: HostEvent) => void;
  /** The end of a turn: time to let go what was held back elsewhere. */
  readonly turned?: (now: Instant) => void;
  /** A message leaves, as a frame of so many bytes for each of so many servers. */
  readonly sent?: (message: P["message"], receivers: number, bytes: number) => void;
  /** The host can go on no longer, and has stopped. */
  readonly failed: (reason: string) => void;
  /** Bytes that may wait for one server before its connection is given up. */
  readonly queueLimit?: number;
}

export type HostEvent =
  | { readonly kind: "recovered"; readonly transactions: number; readonly cut: number }
  | { readonly kind: "connected"; readonly server: ServerId }
  | { readonly kind: "unreachable"; readonly server: ServerId; readonly reason: string }
  /** Not connected yet. */
  | { readonly kind: "failing"; readonly server: ServerId; readonly reason: string }
  /** Somebody called who is no server of this ensemble. */
  | { readonly kind: "refused"; readonly address: string; readonly reason: string };

/** A leader keeps far less under way to a follower; only one that takes nothing at all comes here. */
const QUEUE_LIMIT = 64 << 20;

export class TcpHost<P extends Protocol> {
  readonly #options: TcpHostOptions<P>;
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #peers: Peers;
  readonly #timers: Timers<P["timer"]>;
  /** Inputs that came while another was being dealt with. */
  readonly #inputs: Input<P>[] = [];
  #isBusy = true;
  #turn: NodeJS.Immediate | null = null;
  #stopped = false;

  private constructor(options: TcpHostOptions<P>, clock: Clock, store: Store, peers: Peers) {
    this.#options = options;
    this.#clock = clock;
    this.#store = store;
    this.#peers = peers;
    this.#timers = new Timers(clock, (timer) => this.#input({ kind: "timeout", timer }));
  }

  /** Begins a life. Rejects when the disk is damaged, or cannot be written, or the port cannot be had. */
  static async start<P extends Protocol>(options: TcpHostOptions<P>): Promise<TcpHost<P>> {
    const life = randomBytes(4).readUInt32BE();
    const random = new Random(life);
    const clock = new Clock();
    // Neither calls before there is a host to be called: nothing was appended yet, and nobody was called.
    let host: TcpHost<P> | null = null;
    const give = (input: Input<P>): void => {
      if (host !== null) host.#input(input);
    };
    const store = await Store.open({
      disk: options.disk,
      salt: () => random.uint32(),
      durable: (upTo) => give({ kind: "durable", upTo }),
      failed: (reason) => host !== null && host.#fail(reason),
    });
    const { tell } = options;
    const peers = await Peers.open({
      ...options,
      life,
      random: random.fork(),
      queueLimit: options.queueLimit ?? QUEUE_LIMIT,
      events: {
        up(server) {
          tell({ kind: "connected", server });
          give({ kind: "connected", server });
        },
        frame: (server, frame) => host !== null && host.#receive(server, frame),
        down(server, reason) {
          tell({ kind: "unreachable", server, reason });
          give({ kind: "unreachable", server });
        },
        failing: (server, reason) => tell({ kind: "failing", server, reason }),
        refused: (address, reason) => tell({ kind: "refused", address, reason }),
      },
    }).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
    host = new TcpHost(options, clock, store, peers);
    host.#begin(life);
    return host;
  }

  /** Where the other servers reach this one. */
  get port(): number {
    return this.#peers.port;
  }

  get now(): Instant {
    return this.#clock.now();
  }

  request(request: P["request"]): void {
    this.#input({ kind: "request", request });
  }

  /** The end of this life. What was sent still goes out, unless it ends `abruptly`. */
  async stop(abruptly = false): Promise<void> {
    this.#stopped = true;
    this.#timers.clear();
    if (this.#turn !== null) clearImmediate(this.#turn);
    await Promise.all([this.#peers.close(abruptly), this.#store.close()]);
  }

  #begin(life: number): void {
    const { recovered, cut } = this.#store;
    this.#options.tell({ kind: "recovered", transactions: recovered.transactions.length, cut });
    const timeOfDay = this.#clock.timeOfDay(this.#clock.now());
    this.#inputs.unshift({ kind: "start", recovered, life, timeOfDay });
    this.#work();
    this.#peers.begin();
  }

  #receive(from: ServerId, frame: Uint8Array): void {
    const message = this.#options.codec.decode(frame);
    if (message.ok) this.#input({ kind: "message", from, message: message.value });
    else this.#peers.drop(from, `it sent what nobody can read: ${message.reason}`);
  }

  #input(input: Input<P>): void {
    if (this.#stopped) return;
    this.#inputs.push(input);
    if (!this.#isBusy) this.#work();
  }

  #work(): void {
    this.#isBusy = true;
    for (let input = this.#inputs.shift(); input !== undefined; input = this.#inputs.shift()) {
      const now = this.#clock.now();
      if (input.kind !== "turn" && this.#turn === null) {
        if (input.kind !== "start") this.#lookAtWallClock(now);
        this.#turn = setImmediate(() => this.#endTurn());
      }
      this.#step(input, now);
      if (this.#stopped) return;
    }
    this.#isBusy = false;
  }

  #step(input: Input<P>, now: Instant): void {
    for (const effect of this.#options.automaton.step(input, now)) this.#do(effect, now);
  }

  #lookAtWallClock(now: Instant): void {
    if (this.#clock.wasSet(now)) this.#step({ kind: "clock", timeOfDay: this.#clock.timeOfDay(now) }, now);
  }

  #endTurn(): void {
    this.#turn = null;
    this.#input({ kind: "turn" });
    this.#peers.flush();
    this.#store.flush();
    this.#options.turned?.(this.#clock.now());
  }

  #do(effect: Effect<P>, now: Instant): void {
    switch (effect.kind) {
      case "send":
        this.#send(effect.to, effect.message);
        break;
      case "arm":
        this.#timers.arm(effect.timer, effect.after);
        break;
      case "disarm":
        this.#timers.disarm(effect.timer);
        break;
      case "append":
        this.#store.append(effect.records);
        break;
      case "close":
        this.#peers.drop(effect.server, effect.reason);
        break;
      case "output":
        this.#options.output(effect.output, now);
        break;
      default:
        unreachable(effect);
    }
  }

  /** Encoded once, however many receive it. */
  #send(to: readonly ServerId[], message: P["message"]): void {
    const { codec, self } = this.#options;
    assert(!to.includes(self), () => `server ${self} sends to itself`);
    const bytes = codec.encode(message);
    for (const server of to) this.#peers.send(server, codec.channel(message), bytes);
    this.#options.sent?.(message, to.length, bytes.length);
  }

  #fail(reason: string): void {
    this.stop(true).then(
      () => this.#options.failed(reason),
      () => this.#options.failed(reason),
    );
  }
}
