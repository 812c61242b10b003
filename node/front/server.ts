/**
 * One server of the service: a replica of the tree, and the front between it and the clients, as one
 * automaton.
 *
 * The front turns what clients send into questions for the replica, and the replica's answers into what
 * clients receive. Beside that a server keeps the sessions: once a tick it looks which of them have been
 * silent for too long, and asks for their end.
 */

import { unreachable } from "../core/assert.ts";
import type { Automaton, Effect, Input, Protocol } from "../core/automaton.ts";
import { type ClientId, clientId } from "../core/identity.ts";
import { type Duration, type Instant, milliseconds, type TimeOfDay } from "../core/time.ts";
import { WallClock } from "../core/wall-clock.ts";
import { ZERO } from "../core/zxid.ts";
import type { PeerMessage } from "../replica/message.ts";
import type { ReplicaOptions } from "../replica/parts.ts";
import { Replica, type ReplicaStatus } from "../replica/replica.ts";
import type {
  ReplicaOutput,
  ReplicaProtocol,
  ReplicaRequest,
  ReplicaTimer,
} from "../replica/replica-protocol.ts";
import type { Owed } from "./client-connection.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { Standing } from "./standing.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import type { Schedule } from "./expiry.ts";
import { Front } from "./front.ts";
import type { FrontEffect, FrontOptions, Written } from "./front-protocol.ts";
import { payloadOf } from "../tree/payload.ts";
import { expiryXid, type Sessions } from "../tree/sessions.ts";
import type { Tree } from "../tree/tree.ts";
import type { ClientRequest } from "../wire/client/request.ts";

export type ServerRequest =
  | { readonly kind: "opened"; readonly client: ClientId; readonly address: string; readonly port: number }
  /** The bytes are the server's from now on. */
  | { readonly kind: "received"; readonly client: ClientId; readonly bytes: Uint8Array }
  | { readonly kind: "closed"; readonly client: ClientId }
  /** At the end of a turn: what of the answers has been written. */
  | { readonly kind: "wrote"; readonly written: readonly Written[] }
  | Extract<ReplicaRequest, { kind: "retire" | "transfer" }>;

export type ServerOutput = Exclude<FrontEffect, { kind: "ask" }> | Extract<ReplicaOutput, { kind: "event" }>;

export interface ServerProtocol extends Protocol {
  readonly message: PeerMessage;
  readonly timer: ReplicaTimer | "tick" | "expiry";
  readonly request: ServerRequest;
  readonly output: ServerOutput;
}

export interface ServerOptions {
  readonly tree: Tree;
  readonly replica: Omit<ReplicaOptions, "self" | "machine">;
  readonly front: FrontOptions;
  /** Clients that ask for it are served from what is known here when no leader is; else nobody is. */
  readonly readOnly: boolean;
}

/** What a server asks of its own accord; clients are counted from 1. */
const OWN = clientId(0);

/**
 * How many ends of sessions are asked for and not answered at a time: fifty thousand that end together, as
 * when a rack loses its power, must not keep the others waiting.
 */
const MOST_ENDING = 500;
/** Then the next of them. */
const SOON = milliseconds(20);
/** In one tick: a herd of perished znodes must not keep clients waiting. */
const MOST_REMOVALS = 100;

export class Server implements Automaton<ServerProtocol> {
  readonly replica: Replica<Owed | null>;
  readonly front: Front;
  readonly standing: Standing;
  readonly #options: ServerOptions;
  readonly #keeper: SessionKeeper;
  /** Those that the keeper knows. */
  #sessions: Sessions | null = null;
  #effects: Effect<ServerProtocol>[] = [];
  readonly #wallClock = new WallClock();
  /** Of what was asked of its own accord, how much is not answered yet. */
  #underWay = 0;

  constructor(options: ServerOptions) {
    const { self, tick, mutant = null } = options.front;
    this.#options = options;
    this.replica = new Replica({ ...options.replica, self, machine: options.tree });
    this.standing = new Standing(() => this.replica.electionWait);
    this.front = new Front(options.front, options.tree);
    this.#keeper = new SessionKeeper(self, tick, mutant);
  }

  get status(): ReplicaStatus {
    return this.replica.status;
  }

  /** When which sessions end, as far as it is this server's to know. */
  expiring(now: Instant): Schedule {
    this.#look(now);
    return this.#keeper.schedule();
  }

  step(input: Input<ServerProtocol>, now: Instant): readonly Effect<ServerProtocol>[] {
    this.#effects = [];
    this.#react(input, now);
    this.#pass(now);
    this.front.tellEvents();
    this.#pass(now);
    return this.#effects;
  }

  #react(input: Input<ServerProtocol>, now: Instant): void {
    switch (input.kind) {
      case "start":
        this.#wallClock.tell(input.timeOfDay, now);
        this.standing.snapshot = input.recovered.snapshot?.zxid ?? null;
        this.#ask(input, now);
        this.#ask({ kind: "request", request: { kind: "attach", client: OWN, seen: ZERO } }, now);
        this.#armTick(now);
        break;
      case "clock":
        if (this.#options.front.mutant === "clock-not-followed") break;
        this.#wallClock.tell(input.timeOfDay, now);
        this.#ask(input, now);
        break;
      case "request":
        this.#serve(input.request, now);
        break;
      case "timeout":
        if (input.timer === "tick") this.#tick(now);
        else if (input.timer === "expiry") this.#expire(now);
        else this.#ask({ kind: "timeout", timer: input.timer }, now);
        break;
      default:
        this.#ask(input, now);
    }
  }

  #serve(request: ServerRequest, now: Instant): void {
    switch (request.kind) {
      case "opened":
        this.front.opened(request.client, request.address, request.port, now);
        break;
      case "received":
        this.front.take(request.client, request.bytes, now);
        break;
      case "wrote":
        this.front.wrote(request.written, now);
        break;
      case "closed":
        this.front.closed(request.client);
        break;
      case "retire":
      case "transfer":
        this.#ask({ kind: "request", request }, now);
        break;
      default:
        unreachable(request);
    }
  }

  /** The replica's effects become the server's own; its answers go to the front. */
  #ask(input: Input<ReplicaProtocol<Owed | null>>, now: Instant): void {
    for (const effect of this.replica.step(input, now)) {
      if (effect.kind === "append") this.standing.wrote(effect.records, this.status.role === "leading");
      if (effect.kind !== "output") this.#effects.push(effect);
      else if (effect.output.kind === "event") this.#observe(effect.output.event, now);
      else if (effect.output.client === OWN) this.#underWay -= 1;
      else this.front.answer(effect.output, now);
    }
  }

  #observe(event: ReplicaEvent, now: Instant): void {
    this.standing.tell(event, now);
    if (event.kind === "synchronized" || event.kind === "parted")
      this.#keeper.serves(event.follower, event.kind === "synchronized", now);
    if (event.kind === "serving") {
      this.front.setMode("ordinary");
      this.front.takeTouched();
      this.#sessions = this.#options.tree.state.sessions;
      this.#sessions.takeChanged();
      this.#keeper.beginAnew(this.#sessions.all(), this.status.role === "leading", now);
    }
    this.#output({ kind: "event", event });
  }

  /** What the front wants done, and what comes of it, until it wants no more. */
  #pass(now: Instant): void {
    for (let effects = this.front.takeEffects(); effects.length > 0; effects = this.front.takeEffects()) {
      for (const effect of effects) {
        if (effect.kind === "ask") this.#ask({ kind: "request", request: effect.ask }, now);
        else this.#output(effect);
      }
    }
  }

  #tick(now: Instant): void {
    this.#armTick(now);
    this.front.pass(now);
    const { tree, readOnly, front } = this.#options;
    if (this.standing.isCutOff(now) && front.mutant !== "cut-off-keeps-clients")
      this.front.setMode(readOnly ? "readOnly" : "shut");
    const { role, epoch } = this.status;
    if (epoch === null) return;
    this.#look(now);
    this.#expire(now);
    if (role !== "leading") return;
    for (const path of tree.perished(this.#timeOfDay(now), MOST_REMOVALS)) {
      this.#write({ kind: "deleteContainer", path }, 0, 0, now);
    }
  }

  #look(now: Instant): void {
    const { sessions } = this.#options.tree.state;
    const changed = sessions.takeChanged();
    const heard = this.front.takeTouched();
    if (sessions === this.#sessions) this.#keeper.lookAt(changed, (id) => sessions.get(id), heard, now);
    // A snapshot has come.
    else this.#keeper.look(sessions.all(), heard, now);
    this.#sessions = sessions;
    if (this.#options.front.mutant === "moved-is-closed") this.front.dropMoved();
  }

  #expire(now: Instant): void {
    const { epoch } = this.status;
    if (epoch === null) return;
    this.#keeper.hear(this.front.takeTouched());
    const most = this.#options.front.mutant === "ends-at-once" ? Infinity : MOST_ENDING - this.#underWay;
    for (const { id, server } of this.#keeper.late(most, now)) {
      this.#write({ kind: "closeSession" }, id, expiryXid(epoch, server), now);
    }
    if (this.#underWay >= MOST_ENDING) this.#effects.push({ kind: "arm", timer: "expiry", after: SOON });
  }

  #write(request: ClientRequest, session: number, xid: number, now: Instant): void {
    const payload = payloadOf(request, { session, xid, ids: [], options: this.#options.front.options });
    this.#underWay += 1;
    this.#ask({ kind: "request", request: { kind: "write", client: OWN, tag: null, payload } }, now);
  }

  /** No earlier than what the tree has seen, as the time of its next transaction will be. */
  #timeOfDay(now: Instant): TimeOfDay {
    return Math.max(this.#options.tree.time, this.#wallClock.read(now)) as TimeOfDay;
  }

  /** Twice a tick, and so that sessions are looked at when the tick is over in which they end. */
  #armTick(now: Instant): void {
    const half = Math.ceil(this.#options.front.tick / 2);
    this.#effects.push({ kind: "arm", timer: "tick", after: (half - (now % half)) as Duration });
  }

  #output(output: ServerOutput): void {
    this.#effects.push({ kind: "output", output });
  }
}
