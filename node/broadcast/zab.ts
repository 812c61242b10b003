/**
 * The broadcast as one automaton: what happens is passed to the server's present role, and what came out of
 * it is returned.
 *
 * A server is told whom to follow, and takes a role: leader when it is told itself, follower otherwise. When
 * the role is over, by a fault, a timeout or a lost quorum, it says so and is looking again. Joins that
 * arrive while it is looking are kept until it knows its own role.
 */

import { assert, unreachable } from "../core/assert.ts";
import type { Automaton, Effect, Input } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { type Duration, type Instant, milliseconds } from "../core/time.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";
import type { Application, BroadcastProtocol, BroadcastRequest } from "./broadcast.ts";
import { Follower } from "./follower.ts";
import { Leader } from "./leader.ts";
import type { BroadcastMessage, Join, Recall, Recalled } from "./message.ts";
import { type BroadcastOptions, DEFAULTS } from "./options.ts";
import type { Role } from "./role.ts";
import { ServerState } from "./server-state.ts";

export interface BroadcastConfiguration {
  readonly self: ServerId;
  readonly servers: readonly ServerId[];
  readonly application: Application;
  readonly options?: Partial<BroadcastOptions>;
  /** Hardly any answer of a server takes longer; 0 while none was measured. */
  readonly farthest?: () => Duration;
  readonly mutant?: Mutant | null;
}

export class Broadcast implements Automaton<BroadcastProtocol> {
  readonly #server: ServerState;
  readonly #joins = new Map<ServerId, Join>();
  #role: Role | null = null;
  #attempt = 0;

  constructor(configuration: BroadcastConfiguration) {
    const { self, servers, application, options = {}, farthest, mutant = null } = configuration;
    this.#server = new ServerState({
      self,
      servers,
      application,
      options: { ...DEFAULTS, ...options },
      farthest: farthest ?? (() => milliseconds(0)),
      mutant,
    });
  }

  /** The last transaction in this server's log, executed or not. */
  get lastZxid(): Zxid {
    return this.#server.history.last;
  }

  /** Who has less than this needs a snapshot from here. */
  get base(): Zxid {
    return this.#server.history.base;
  }

  /** The mean over what is kept in memory. */
  get transactionBytes(): number {
    const { start, end } = this.#server.history;
    return end === start ? 0 : this.#server.history.bytes(start, end) / (end - start);
  }

  /** The epoch that this server is, or was last, a member of. */
  get currentEpoch(): Epoch {
    return this.#server.epoch;
  }

  /** Why this server can neither follow nor lead, with its new disk. */
  get hindrance(): string | null {
    return this.#server.newDisk.takesPart ? null : this.#server.newDisk.hindrance;
  }

  step(input: Input<BroadcastProtocol>, now: Instant): readonly Effect<BroadcastProtocol>[] {
    this.#server.now = now;
    this.#react(input);
    if (this.#role !== null && this.#role.over !== null) this.#lose(this.#role, this.#role.over);
    return this.#server.take();
  }

  #react(input: Input<BroadcastProtocol>): void {
    switch (input.kind) {
      case "start":
        this.#server.start(input.recovered, input.timeOfDay);
        break;
      case "clock":
        this.#server.wallClock.tell(input.timeOfDay, this.#server.now);
        break;
      case "message":
        this.#hear(input.from, input.message);
        break;
      case "timeout":
        if (input.timer === "early") this.#refuseJoins();
        else this.#role?.timeout(input.timer);
        break;
      case "durable":
        this.#server.journal.reached(input.upTo);
        this.#role?.durable();
        break;
      case "connected":
        this.#server.reachable.add(input.server);
        this.#server.newDisk.connected(input.server);
        this.#role?.connected(input.server);
        break;
      case "unreachable":
        this.#server.reachable.delete(input.server);
        this.#joins.delete(input.server);
        this.#role?.unreachable(input.server);
        break;
      case "request":
        this.#request(input.request);
        break;
      case "turn":
        this.#turn();
        break;
      default:
        unreachable(input);
    }
  }

  #hear(from: ServerId, message: BroadcastMessage): void {
    if (!this.#server.servers.includes(from) || from === this.#server.id) {
      this.#server.close(from, "it is not another server of this ensemble");
      return;
    }
    if (message.kind === "recall" || message.kind === "recalled") {
      this.#recall(from, message);
      return;
    }
    if (message.kind === "join") this.#server.hearPromise(message.promise);
    if (this.#role instanceof Leader) {
      this.#role.message(from, message);
      return;
    }
    if (message.kind === "leave") this.#joins.delete(from);
    if (message.kind !== "join") this.#role?.message(from, message);
    else this.#keep(from, message);
  }

  /**
   * Who serves under a leader may be about to hear that it is dead, and that itself is to lead: others may
   * have heard before.
   */
  #keep(from: ServerId, join: Join): void {
    if (this.#role instanceof Follower && !this.#role.serves) {
      this.#server.send(from, { kind: "refuse", attempt: join.attempt });
      return;
    }
    if (this.#role !== null && this.#joins.size === 0) this.#server.arm("early", this.#server.newsMayTake);
    this.#joins.set(from, join);
  }

  /** Not while this server does not know its own role. */
  #refuseJoins(): void {
    if (this.#role === null) return;
    for (const [from, { attempt }] of this.#joins) this.#server.send(from, { kind: "refuse", attempt });
    this.#joins.clear();
  }

  #recall(from: ServerId, message: Recall | Recalled): void {
    const { newDisk, epoch, promise } = this.#server;
    if (message.kind === "recall") {
      this.#server.send(from, { kind: "recalled", epoch, promise });
      return;
    }
    newDisk.hear(from, message);
    if (newDisk.takesPart) this.#role?.admitted();
  }

  #request(request: BroadcastRequest): void {
    switch (request.kind) {
      case "follow":
        this.#follow(request.leader);
        break;
      case "abandon":
        if (this.#role !== null) this.#lose(this.#role, request.reason);
        break;
      case "transfer":
        this.#transfer(request.to);
        break;
      case "write":
        assert(this.#role !== null, "a write before this server serves");
        this.#role.write(request.ticket, request.payload);
        break;
      case "sync":
        assert(this.#role !== null, "a sync before this server serves");
        this.#role.sync(request.sequence);
        break;
      default:
        unreachable(request);
    }
  }

  #transfer(to: ServerId): void {
    if (this.#role instanceof Leader) this.#role.transfer(to);
    else this.#server.tell({ kind: "kept", to, reason: "this server does not lead" });
  }

  #follow(leader: ServerId): void {
    if (this.#role !== null) this.#endRole(this.#role);
    const joins = [...this.#joins];
    this.#joins.clear();
    if (leader === this.#server.id) {
      this.#role = new Leader(this.#server, joins);
      return;
    }
    for (const [from, { attempt }] of joins) this.#server.send(from, { kind: "refuse", attempt });
    this.#attempt += 1;
    this.#role = new Follower(this.#server, leader, this.#attempt);
  }

  #lose(role: Role, reason: string): void {
    this.#endRole(role);
    this.#server.output({ kind: "lost", leader: role.leader, reason, heir: role.heir });
  }

  #endRole(role: Role): void {
    role.end();
    this.#role = null;
  }

  #turn(): void {
    this.#role?.turn();
    this.#server.checkpoint.turn();
    this.#server.flush();
    this.#server.trim(this.#role?.pinned ?? Number.POSITIVE_INFINITY);
  }
}
