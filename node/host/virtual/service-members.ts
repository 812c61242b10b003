/**
 * Members of the medium `service` in virtual time: each with a session of its own beside the servers of a
 * virtual ensemble. The time of every member is the ensemble's.
 */

import { assert } from "../../core/assert.ts";
import type { MemberId, ServerId } from "../../core/identity.ts";
import { Random } from "../../core/random.ts";
import type { ServiceInput, ServiceMember } from "../../core/service.ts";
import { after, type Duration, type Instant } from "../../core/time.ts";
import type { Coordination } from "../../wire/client/coordination.ts";
import { ServiceCounts } from "../service-counts.ts";
import { ServiceLife, type ServicePolicy, type ServiceSurroundings } from "../service-life.ts";
import type { ClientWorld } from "./client-connection.ts";
import { type VirtualClients, VirtualSession } from "./clients.ts";

export interface ServiceShape<P extends Coordination> {
  readonly clients: VirtualClients;
  readonly servers: readonly ServerId[];
  create(member: MemberId): ServiceMember<P>;
  /** Where its machine is. */
  place(member: MemberId): string;
  policy?(member: MemberId): ServicePolicy;
  readonly seed: number;
  readonly observer?: ServiceObserver<P>;
}

/** Sees what happens. */
export interface ServiceObserver<P extends Coordination> {
  /** Before the member sees it. */
  input?(member: MemberId, input: ServiceInput<P>, time: Instant): void;
  output?(member: MemberId, output: P["output"], time: Instant): void;
  left?(member: MemberId, acknowledged: boolean, time: Instant): void;
}

export class VirtualMembers<P extends Coordination> {
  readonly #shape: ServiceShape<P>;
  readonly #lives: Random;
  readonly #living = new Map<MemberId, ServiceLife<P>>();
  readonly #counts = new Map<MemberId, ServiceCounts>();

  constructor(shape: ServiceShape<P>) {
    this.#shape = shape;
    this.#lives = new Random(shape.seed);
  }

  /** Begins a life. */
  start(id: MemberId): void {
    assert(!this.#living.has(id), () => `member ${id} lives already`);
    const shape = this.#shape;
    const { clients, servers } = shape;
    const timers = new InstantTimers<P["timer"]>(clients.world, (timer) => {
      life.give({ kind: "timeout", timer });
    });
    const life: ServiceLife<P> = new ServiceLife(
      shape.create(id),
      this.#surroundings(id, timers),
      (heard) =>
        new VirtualSession(clients, {
          servers,
          place: shape.place(id),
          policy: shape.policy?.(id) ?? {},
          heard,
        }),
    );
    this.#living.set(id, life);
    life.begin(this.#lives.uint32());
  }

  /** Its process dies. */
  kill(id: MemberId): void {
    this.#living.get(id)?.end();
    this.#living.delete(id);
  }

  request(id: MemberId, request: P["request"]): void {
    this.#living.get(id)?.give({ kind: "request", request });
  }

  /** At which server it is, or will be next; null when it does not live. */
  serverOf(id: MemberId): ServerId | null {
    const life = this.#living.get(id);
    return life === undefined ? null : (this.#shape.servers[life.server] ?? null);
  }

  /** Of all its lives. */
  counts(id: MemberId): ServiceCounts {
    let counts = this.#counts.get(id);
    if (counts === undefined) this.#counts.set(id, (counts = new ServiceCounts()));
    return counts;
  }

  #surroundings(id: MemberId, timers: InstantTimers<P["timer"]>): ServiceSurroundings<P> {
    const { clients, observer } = this.#shape;
    const { world } = clients;
    return {
      get now() {
        return world.now;
      },
      counts: this.counts(id),
      arm: (timer, duration) => timers.arm(timer, duration),
      disarm: (timer) => timers.disarm(timer),
      input: (input) => observer?.input?.(id, input, world.now),
      output: (output) => observer?.output?.(id, output, world.now),
      left: (acknowledged) => {
        this.#living.delete(id);
        observer?.left?.(id, acknowledged, world.now);
      },
    };
  }
}

/** Each arming has a number of its own; a timer fires only for its latest. */
class InstantTimers<Name> {
  readonly #world: ClientWorld;
  readonly #fire: (timer: Name) => void;
  readonly #armed = new Map<Name, number>();
  #armings = 0;

  constructor(world: ClientWorld, fire: (timer: Name) => void) {
    this.#world = world;
    this.#fire = fire;
  }

  arm(timer: Name, duration: Duration): void {
    const arming = ++this.#armings;
    this.#armed.set(timer, arming);
    const world = this.#world;
    // What arrives at the same instant is planned by the time that it is due, and goes first.
    world.at(after(world.now, duration), () => world.at(world.now, () => this.#ring(timer, arming)));
  }

  disarm(timer: Name): void {
    this.#armed.delete(timer);
  }

  #ring(timer: Name, arming: number): void {
    if (this.#armed.get(timer) !== arming) return;
    this.#armed.delete(timer);
    this.#fire(timer);
  }
}
