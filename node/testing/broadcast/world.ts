/**
 * A world just big enough to see the broadcast at work: a few servers, a queue for each direction of each
 * connection, and a disk each. Nothing happens by itself: a story says what arrives, what becomes durable,
 * who crashes and which timer fires; `settle` lets everything happen that can.
 */

import { assert } from "../../core/assert.ts";
import type { Input } from "../../core/automaton.ts";
import { ensemble, type ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import type { LogRecord } from "../../core/record.ts";
import { recover } from "../../core/recovery.ts";
import { round } from "../../core/score.ts";
import type { Instant, TimeOfDay } from "../../core/time.ts";
import type { BroadcastOutput, BroadcastProtocol, BroadcastTimer } from "../../broadcast/broadcast.ts";
import { ListService } from "./list-service.ts";
import type { BroadcastMessage } from "../../broadcast/message.ts";
import type { BroadcastOptions } from "../../broadcast/options.ts";
import { Broadcast } from "../../broadcast/zab.ts";

export interface Inhabitant {
  readonly id: ServerId;
  broadcast: Broadcast;
  service: ListService;
  up: boolean;
  life: number;
  /** All that was ever appended; of this life's, the first `durable - before` will survive. */
  disk: LogRecord[];
  durable: number;
  /** How long the disk was when this life began. */
  before: number;
  timers: Set<BroadcastTimer>;
  outputs: BroadcastOutput[];
  /** It was told nobody to follow since it started, or lost whom it followed. */
  looking: boolean;
  serving: boolean;
  /** Something happened since its last turn. */
  restless: boolean;
}

export interface SmallWorldOptions {
  readonly servers: number;
  readonly options?: Partial<BroadcastOptions>;
  readonly mutant?: Mutant | null;
  readonly perChunk?: number;
  /** Off: whoever moves the world gives the turns, so that several things may happen in one. */
  readonly turns?: boolean;
  /** Told of everything that happens, for stories and checks. */
  readonly watch?: (event: WorldEvent) => void;
}

export type WorldEvent =
  | {
      readonly kind: "sent";
      readonly from: ServerId;
      readonly to: ServerId;
      readonly message: BroadcastMessage;
    }
  | { readonly kind: "output"; readonly server: ServerId; readonly output: BroadcastOutput }
  | {
      readonly kind: "closed";
      readonly server: ServerId;
      readonly other: ServerId;
      readonly reason: string;
    };

export class SmallWorld {
  readonly servers: readonly ServerId[];
  now = 0 as Instant;
  readonly #inhabitants = new Map<ServerId, Inhabitant>();
  /** What is under way, by "from>to"; a missing queue is a missing connection. */
  readonly #roads = new Map<string, BroadcastMessage[]>();
  #world: SmallWorldOptions;
  /** Roads of processes that died, which the others have not noticed: what was sent may still arrive. */
  readonly #ghosts = new Set<string>();
  #writes = 0;

  constructor(world: SmallWorldOptions) {
    this.#world = world;
    this.servers = ensemble(Array.from({ length: world.servers }, (_, index) => index + 1));
    for (const id of this.servers) {
      this.#inhabitants.set(id, {
        id,
        ...this.#birth(id),
        up: false,
        life: 0,
        disk: [],
        durable: 0,
        before: 0,
        timers: new Set(),
        outputs: [],
        looking: true,
        serving: false,
        restless: false,
      });
    }
  }

  /** For lives that begin from now on. */
  setOptions(options: Partial<BroadcastOptions>): void {
    this.#world = { ...this.#world, options };
  }

  at(id: number): Inhabitant {
    const inhabitant = this.#inhabitants.get(id as ServerId);
    assert(inhabitant !== undefined, `no server ${id}`);
    return inhabitant;
  }

  start(id: number): void {
    const one = this.at(id);
    assert(!one.up, `server ${id} is up`);
    Object.assign(one, this.#birth(one.id), { up: true, life: one.life + 1, outputs: [] });
    Object.assign(one, { looking: true, serving: false });
    one.disk.length = one.durable;
    one.before = one.durable;
    const recovered = recover(one.disk);
    this.step(id, { kind: "start", recovered, life: one.life, timeOfDay: 0 as TimeOfDay });
  }

  startAll(): void {
    for (const id of this.servers) this.start(id);
    for (const a of this.servers) for (const b of this.servers) if (a < b) this.connect(a, b);
    // What servers with new disks ask each other.
    this.settle();
  }

  /** The process is gone, and with it all that was not durable, except perhaps `torn` more records. */
  crash(id: number, torn = 0): void {
    const one = this.at(id);
    one.up = false;
    one.restless = false;
    one.timers.clear();
    one.durable = Math.min(one.disk.length, one.durable + torn);
    one.disk.length = one.durable;
    for (const other of this.servers) {
      if (other !== id && !this.#ghosts.has(`${id}>${other}`)) this.cut(id, other);
    }
  }

  /** As `crash`, and nobody notices until there is a new connection, or `cut`. */
  vanish(id: number): void {
    for (const other of this.servers) {
      if (!this.connected(id, other)) continue;
      this.#roads.delete(`${other}>${id}`);
      this.#ghosts.add(`${id}>${other}`);
    }
    this.crash(id, 0);
  }

  /** A new, empty disk. */
  loseDisk(id: number): void {
    const one = this.at(id);
    assert(!one.up, `server ${id} is up`);
    one.disk.length = 0;
    one.durable = 0;
  }

  connect(a: number, b: number): void {
    this.#notice(a, b);
    if (!this.at(a).up || !this.at(b).up || this.connected(a, b)) return;
    this.#roads.set(`${a}>${b}`, []);
    this.#roads.set(`${b}>${a}`, []);
    this.step(a, { kind: "connected", server: b as ServerId });
    this.step(b, { kind: "connected", server: a as ServerId });
  }

  cut(a: number, b: number): void {
    this.#notice(a, b);
    if (!this.connected(a, b)) return;
    this.#roads.delete(`${a}>${b}`);
    this.#roads.delete(`${b}>${a}`);
    if (this.at(a).up) this.step(a, { kind: "unreachable", server: b as ServerId });
    if (this.at(b).up) this.step(b, { kind: "unreachable", server: a as ServerId });
  }

  /** As `cut`, but neither of the two notices. */
  sever(a: number, b: number): void {
    this.#roads.delete(`${a}>${b}`);
    this.#roads.delete(`${b}>${a}`);
  }

  connected(a: number, b: number): boolean {
    return this.#roads.has(`${a}>${b}`) && this.#roads.has(`${b}>${a}`);
  }

  #notice(a: number, b: number): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      if (!this.#ghosts.delete(`${from}>${to}`)) continue;
      this.#roads.delete(`${from}>${to}`);
      this.step(to, { kind: "unreachable", server: from as ServerId });
    }
  }

  follow(id: number, leader: number): void {
    const request = { kind: "follow", leader: leader as ServerId, round: round(1) } as const;
    Object.assign(this.at(id), { looking: false, serving: false });
    this.step(id, { kind: "request", request });
  }

  /** Everyone who is up follows `leader`. */
  elect(leader: number): void {
    for (const id of this.servers) if (this.at(id).up) this.follow(id, leader);
  }

  /** A client of server `id` writes; returns the number of the write. */
  write(id: number, size = 1): number {
    const one = this.at(id);
    this.#writes += 1;
    const ticket = { origin: one.id, life: one.life, sequence: this.#writes };
    const payload = new Uint8Array(size);
    this.step(id, { kind: "request", request: { kind: "write", ticket, payload } });
    return this.#writes;
  }

  sync(id: number, sequence: number): void {
    this.step(id, { kind: "request", request: { kind: "sync", sequence } });
  }

  /** The directions in which something is under way. */
  busyRoads(): [from: ServerId, to: ServerId][] {
    const busy: [ServerId, ServerId][] = [];
    for (const [road, messages] of this.#roads) {
      const [from, to] = road.split(">").map(Number);
      if (messages.length > 0) busy.push([from as ServerId, to as ServerId]);
    }
    return busy;
  }

  underWay(from: number, to: number): readonly BroadcastMessage[] {
    return this.#roads.get(`${from}>${to}`) ?? [];
  }

  /** The next `count` messages of one direction arrive. */
  arrive(from: number, to: number, count = 1): void {
    for (let left = count; left > 0; left--) {
      const message = this.#roads.get(`${from}>${to}`)?.shift();
      if (message === undefined) return;
      this.step(to, { kind: "message", from: from as ServerId, message });
    }
  }

  /** A message that nobody should have sent. */
  forge(from: number, to: number, message: BroadcastMessage): void {
    this.step(to, { kind: "message", from: from as ServerId, message });
  }

  /** The disk of `id` has written `count` more records, by default all. */
  persist(id: number, count = Number.POSITIVE_INFINITY): void {
    const one = this.at(id);
    const durable = Math.min(one.disk.length, one.durable + count);
    if (durable === one.durable || !one.up) return;
    one.durable = durable;
    this.step(id, { kind: "durable", upTo: durable - one.before });
  }

  fire(id: number, timer: BroadcastTimer): void {
    assert(this.at(id).timers.delete(timer), `timer ${timer} of server ${id} is not armed`);
    this.step(id, { kind: "timeout", timer });
  }

  /** Everything arrives and everything becomes durable, until nothing is left to happen. No timer fires. */
  settle(): void {
    this.until(() => {
      for (const [from, to] of this.busyRoads()) this.arrive(from, to);
      for (const id of this.servers) {
        if (this.at(id).restless) this.turn(id);
        this.persist(id);
      }
      return !this.#unsettled();
    });
  }

  /** As `settle`, but only among these servers. */
  settleAmong(...ids: readonly number[]): void {
    this.until(() => {
      let moved = false;
      for (const [from, to] of this.busyRoads()) {
        if (!ids.includes(from) || !ids.includes(to)) continue;
        this.arrive(from, to);
        moved = true;
      }
      for (const id of ids) {
        moved ||= this.at(id).disk.length > this.at(id).durable;
        this.persist(id);
      }
      return !moved;
    });
  }

  /** Repeats what is done until it returns true. */
  until(done: () => boolean): void {
    for (let round = 0; !done(); round++) assert(round < 1e5, "what is waited for does not happen");
  }

  turn(id: number): void {
    this.step(id, { kind: "turn" });
  }

  step(id: number, input: Input<BroadcastProtocol>): void {
    const one = this.at(id);
    if (!one.up) return;
    this.#do(one, input);
    one.restless = input.kind !== "turn";
    if (one.restless && this.#world.turns !== false) this.turn(id);
  }

  #do(one: Inhabitant, input: Input<BroadcastProtocol>): void {
    const closings: ServerId[] = [];
    for (const effect of one.broadcast.step(input, this.now)) {
      switch (effect.kind) {
        case "send":
          for (const to of effect.to) this.#send(one.id, to, effect.message);
          break;
        case "arm":
          one.timers.add(effect.timer);
          break;
        case "disarm":
          one.timers.delete(effect.timer);
          break;
        case "append":
          one.disk.push(...effect.records);
          break;
        case "close":
          this.#tell({ kind: "closed", server: one.id, other: effect.server, reason: effect.reason });
          closings.push(effect.server);
          break;
        case "output":
          this.#note(one, effect.output);
          break;
      }
    }
    for (const other of closings) this.cut(one.id, other);
  }

  #note(one: Inhabitant, output: BroadcastOutput): void {
    one.outputs.push(output);
    if (output.kind === "serving") one.serving = true;
    if (output.kind === "lost") Object.assign(one, { looking: true, serving: false });
    this.#tell({ kind: "output", server: one.id, output });
  }

  #send(from: ServerId, to: ServerId, message: BroadcastMessage): void {
    assert(from !== to, `server ${from} sends to itself`);
    const road = this.#roads.get(`${from}>${to}`);
    if (road === undefined) return;
    road.push(message);
    this.#tell({ kind: "sent", from, to, message });
  }

  #unsettled(): boolean {
    if (this.busyRoads().length > 0) return true;
    for (const { up, restless, disk, durable } of this.#inhabitants.values()) {
      if (up && (restless || disk.length > durable)) return true;
    }
    return false;
  }

  #tell(event: WorldEvent): void {
    this.#world.watch?.(event);
  }

  #birth(self: ServerId): Pick<Inhabitant, "broadcast" | "service"> {
    const { options = {}, mutant = null, perChunk = 4 } = this.#world;
    const service = new ListService(perChunk);
    const broadcast = new Broadcast({ self, servers: this.servers, application: service, options, mutant });
    return { service, broadcast };
  }
}
