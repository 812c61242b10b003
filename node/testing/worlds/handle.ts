/**
 * A second hold on a session that a client has: it takes the session to another server, reads there, and goes
 * after a while. The first connection reads on meanwhile, and is closed when it writes; so that neither takes
 * the session from the other for ever.
 */

import { Question } from "../../client/question.ts";
import type { SessionEvent } from "../../client/session-protocol.ts";
import type { Random } from "../../core/random.ts";
import { after, milliseconds } from "../../core/time.ts";
import { type Zxid, ZERO } from "../../core/zxid.ts";
import { VirtualSession } from "../../host/virtual/clients.ts";
import { Violation } from "../../host/virtual/swarm/sequence.ts";
import type { Guest, Surroundings } from "./guest.ts";
import { keysOf } from "./guest.ts";
import type { HandlePlan, ServerWorld } from "./world.ts";

export class SecondHandle {
  readonly #plan: HandlePlan;
  readonly #guest: Guest;
  readonly #world: ServerWorld;
  readonly #around: Surroundings;
  readonly #random: Random;
  #session: VirtualSession<null> | null = null;
  #id = 0;
  #seen: Zxid = ZERO;
  /** How often it took the session. */
  taken = 0;

  constructor(plan: HandlePlan, guest: Guest, world: ServerWorld, around: Surroundings, random: Random) {
    this.#plan = plan;
    this.#guest = guest;
    this.#world = world;
    this.#around = around;
    this.#random = random;
  }

  begin(): void {
    const { ensemble } = this.#around.stage;
    ensemble.at(after(ensemble.now, this.#plan.at), () => this.#come());
  }

  leave(): void {
    this.#session?.abandon();
    this.#session = null;
  }

  #come(): void {
    const guest = this.#guest;
    if (guest.server === null || guest.sessionId === 0) return;
    const { ensemble, clients } = this.#around.stage;
    this.#id = guest.sessionId;
    this.#session = new VirtualSession<null>(clients, {
      place: "clients",
      servers: this.#world.servers,
      session: guest.credentials,
      policy: { timeout: guest.plan.timeout, first: this.#plan.first, afterExpiry: "end" },
      heard: (event) => this.#hear(event),
    });
    this.#session.connect();
    this.#read();
    ensemble.at(after(ensemble.now, this.#plan.lasts), () => this.leave());
  }

  #read(): void {
    const session = this.#session;
    if (session === null) return;
    if (session.state.isOpen) {
      const path = this.#random.pick(keysOf(this.#world));
      session.ask(new Question({ kind: "getData", path, watch: false }), null);
      session.flush();
    }
    const { ensemble } = this.#around.stage;
    ensemble.at(after(ensemble.now, EVERY), () => this.#read());
  }

  #hear(event: SessionEvent<null>): void {
    const { book, leases } = this.#around;
    const server = this.#world.servers[this.#session?.state.server ?? -1];
    if (event.kind === "opened") {
      this.taken += 1;
      const at = book.executedAt(book.openedAt(this.#id));
      if (server !== undefined && at !== undefined)
        leases.opened(this.#id, server, this.#guest.agreedTimeout, at);
    } else if (event.kind === "answered") {
      const zxid = event.zxid as Zxid;
      if (zxid < this.#seen) throw new Violation(`a second hold on ${this.#guest.plan.name} went back`);
      this.#seen = zxid;
      if (server !== undefined) leases.heard(this.#id, server, event.asked.sent);
    }
  }
}

const EVERY = milliseconds(120);
