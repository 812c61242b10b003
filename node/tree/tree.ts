/**
 * The service: ZooKeeper's tree of znodes as a deterministic state machine.
 *
 * A transaction is a request, executed when it is delivered, with nothing but its own zxid and time of day;
 * every server comes to the same state and the same answer. Beside the replicated state a server has the
 * watches of its own clients: a read may leave one, and a change leaves events, which are fetched with
 * `takeEvents`. An event goes out before any answer that reflects its change: the zxids of both tell.
 */

import { utf8Bytes } from "../core/utf8.ts";
import type { Pieces } from "../core/pieces.ts";
import { assert } from "../core/assert.ts";
import type { ClientId, ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import type { Restoration, StateMachine } from "../core/machine.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Transaction } from "../core/transaction.ts";
import { epochOf, type Zxid, ZERO } from "../core/zxid.ts";

import { type ClientRequest, readRequest } from "../wire/client/request.ts";
import type { OpenSession } from "../wire/client/session.ts";
import { Hash } from "./hash.ts";
import { multi } from "./multi.ts";
import { ROOT } from "./path.ts";
import { type Caller, type Outcome, piecesOf, readPayload, writeResult } from "./payload.ts";
import { perishesAt } from "./perishables.ts";
import { read } from "./reads.ts";
import { StateReader } from "./restoration.ts";
import { expiryXid } from "./sessions.ts";
import { StateSnapshot } from "./snapshot.ts";
import { type Moment, State } from "./state.ts";
import { Watches, type WatchFired } from "./watches.ts";
import { check, create, DONE, fail, remove, removePerished, setAcl, setData } from "./writes.ts";

export type TreeEvent =
  | WatchFired
  | { readonly kind: "sessionEnded"; readonly zxid: Zxid; readonly session: number }
  /** A snapshot took the place of the state: what changed in between nobody here was told. */
  | { readonly kind: "replaced"; readonly zxid: Zxid };

export class Tree implements StateMachine {
  readonly #config: Uint8Array;
  readonly #mutant: Mutant | null;
  readonly watches = new Watches();
  #state: State;
  #applied: Zxid = ZERO;
  #time = 0 as TimeOfDay;
  #events: TreeEvent[] = [];

  /** `config` is what clients read at /zookeeper/config: who the servers are, in text. */
  constructor(config = "", mutant: Mutant | null = null) {
    this.#mutant = mutant;
    this.#config = utf8Bytes(config);
    this.#state = State.initial(this.#config);
  }

  get applied(): Zxid {
    return this.#applied;
  }

  get time(): TimeOfDay {
    return this.#time;
  }

  get bytes(): number {
    const { nodes } = this.#state;
    const { znodes, bytes } = nodes.total(nodes.find(ROOT));
    return bytes + znodes * ZNODE_BYTES;
  }

  get state(): State {
    return this.#state;
  }

  apply(transaction: Transaction): Uint8Array {
    const { zxid, time, ticket } = transaction;
    assert(zxid > this.#applied, () => `transaction ${zxid} after ${this.#applied}`);
    this.#applied = zxid;
    this.#time = time;
    const payload = readPayload(transaction.payload);
    if (payload === null) return writeResult(fail("marshalling"));
    const request = readRequest(payload.operation, payload.request);
    const now = { zxid, time };
    const outcome =
      request === null ? fail("marshalling") : this.#write(request, payload.caller, ticket.origin, now);
    for (const happening of this.#state.takeHappenings()) {
      for (const fired of this.watches.fire(happening, zxid)) this.#events.push(fired);
    }
    return writeResult(outcome);
  }

  read(client: ClientId, query: Uint8Array): Pieces {
    const payload = readPayload(query);
    const request = payload === null ? null : readRequest(payload.operation, payload.request);
    if (payload === null || request === null) return piecesOf(fail("marshalling"));
    const zxid = this.#applied;
    const reading = {
      state: this.#state,
      watches: this.watches,
      client,
      caller: payload.caller,
      fire: (fired: Pick<WatchFired, "type" | "path" | "acl">) =>
        this.#events.push({ kind: "watch", client, zxid, ...fired }),
    };
    return piecesOf(read(reading, request));
  }

  /** What happened since the last call, oldest first. */
  takeEvents(): readonly TreeEvent[] {
    const taken = this.#events;
    if (taken.length > 0) this.#events = [];
    return taken;
  }

  snapshot(): StateSnapshot {
    return new StateSnapshot(this.#state, this.#applied, this.#time);
  }

  restore(zxid: Zxid): Restoration {
    const reader = new StateReader(zxid, this.#config);
    return {
      accept: (chunk) => reader.accept(chunk),
      finish: () => {
        const state = reader.finish();
        if (typeof state === "string") return state;
        this.#state = state;
        this.#applied = zxid;
        this.#time = reader.time;
        this.watches.forgetAll();
        this.#events.push({ kind: "replaced", zxid });
        return null;
      },
    };
  }

  digest(): string {
    const sessions = this.#state.sessions.hashInto(new Hash());
    return `${this.#state.nodes.digest()}-${sessions.map((sum) => (sum >>> 0).toString(16)).join("-")}`;
  }

  /**
   * Containers and TTL nodes that have outlived their use, at most so many: the leader asks for their
   * removal.
   */
  perished(time: TimeOfDay, most: number): string[] {
    const { nodes, perishables } = this.#state;
    const named: string[] = [];
    for (const path of perishables.upTo(time)) {
      const row = nodes.find(path);
      if ((perishesAt(nodes, row) ?? Infinity) > time) this.#state.notePerishable(row);
      else if (named.push(path) === most) break;
    }
    // Until they are gone, whoever asks is told again.
    for (const path of named) perishables.note(path, 0);
    return named;
  }

  #write(request: ClientRequest, caller: Caller, origin: ServerId, now: Moment): Outcome {
    if (request.kind === "createSession") return this.#openSession(caller.session, request, origin, now);
    if (request.kind === "closeSession") return this.#endSession(caller, origin, now);
    if (request.kind === "deleteContainer") return removePerished(this.#state, request.path, now);
    const session = this.#state.sessions.get(caller.session);
    if (session === undefined) return fail("sessionExpired");
    const hasMoved = session.server !== origin && this.#mutant !== "moved-may-write";
    if (hasMoved) return fail("sessionMoved");
    switch (request.kind) {
      case "create":
      case "create2":
      case "createContainer":
      case "createTtl":
        return create(this.#state, request, caller, now);
      case "delete":
        return remove(this.#state, request, caller, now);
      case "setData":
        return setData(this.#state, request, caller, now);
      case "setAcl":
        return setAcl(this.#state, request, caller);
      case "check":
        return check(this.#state, request, caller);
      case "multi":
        return multi(this.#state, request, caller, now);
      default:
        return fail("unimplemented");
    }
  }

  /** 0 begins a session; another id is one that comes from where its client was connected before. */
  #openSession(id: number, { timeoutMs, seal }: OpenSession, server: ServerId, { zxid }: Moment): Outcome {
    const { sessions } = this.#state;
    // With another password it is, to whoever asks, none.
    if (id !== 0 && sessions.get(id)?.seal !== seal) return fail("sessionExpired");
    const session = id === 0 ? zxid : id;
    sessions.set(session, timeoutMs, seal, server);
    return { kind: "createSession", session, timeoutMs };
  }

  /**
   * Asked for by its client, or by its server that has not heard of it, or by the leader when that one is
   * down.
   */
  #endSession({ session, xid }: Caller, origin: ServerId, now: Moment): Outcome {
    const server = this.#state.sessions.get(session)?.server;
    if (server === undefined) return fail("sessionExpired");
    if (server !== origin && xid !== expiryXid(epochOf(now.zxid), server)) return fail("sessionMoved");
    this.#state.endSession(session, now);
    this.#events.push({ kind: "sessionEnded", zxid: now.zxid, session });
    return DONE;
  }
}

/** Beside its data, in a snapshot: path, ACL, Stat. */
const ZNODE_BYTES = 100;
