/**
 * The front of a server: between the bytes of its clients and its replica.
 *
 * A connection begins with a handshake, which becomes a transaction that begins a session or brings one here.
 * After that each frame is a request; it becomes a write, a read or a sync of the replica, which answers
 * those of one client in the order asked. What the front knows by itself (authentication, unknown operations)
 * waits there for its turn.
 *
 * Before an answer go all events that it may reflect: both carry zxids. And not before: a client must have
 * the answer that tells it of its watch before the event that the watch makes.
 */

import { lengthOf, type Pieces } from "../core/pieces.ts";
import { assert } from "../core/assert.ts";
import type { ClientId } from "../core/identity.ts";
import type { Instant } from "../core/time.ts";
import { type Zxid, ZERO } from "../core/zxid.ts";
import { ERRORS } from "../wire/client/error.ts";
import { readRequestHeader } from "../wire/client/header.ts";
import { JuteReader } from "../wire/client/jute.ts";
import type { Operation } from "../wire/client/operation.ts";
import { mayRead } from "../tree/access.ts";
import { carriedBy } from "./carried.ts";
import { ASKED_OVERHEAD, Balance, MODEST, MOST_HELD } from "./balance.ts";
import { ClientConnection, type Owed } from "./client-connection.ts";
import { Counts } from "./counts.ts";
import { dispatch } from "./dispatch.ts";
import { Events } from "./events.ts";
import { errorOf, EventFrames, replyFrame } from "./frame.ts";
import type { Answer, Ask, FrontEffect, FrontMode, FrontOptions, Written } from "./front-protocol.ts";
import { type Greeting, greet, localSession, timeoutOf, welcome } from "./greeting.ts";
import { overdue } from "./overdue.ts";
import { Reads } from "./reads.ts";
import { type Caller, writePayload } from "../tree/payload.ts";
import type { Tree, TreeEvent } from "../tree/tree.ts";

export class Front {
  readonly #options: FrontOptions;
  readonly #tree: Tree;
  readonly #connections = new Map<ClientId, ClientConnection>();
  readonly #bySession = new Map<number, ClientConnection>();
  #touched = new Map<number, Instant>();
  readonly counts = new Counts();
  #effects: FrontEffect[] = [];
  readonly #events: Events;
  readonly #frames = new EventFrames();
  #mode: FrontMode = "ordinary";
  /** How many were given a session to read with. */
  #readers = 0;
  readonly #balance: Balance;
  /** Who asks, and is not answered until it has read what it was told. */
  #unread = new Set<ClientConnection>();
  readonly #reads = new Reads();

  constructor(options: FrontOptions, tree: Tree) {
    this.#options = options;
    this.#balance = new Balance(options.mutant);
    this.#tree = tree;
    this.#events = new Events(tree);
  }

  get connections(): ReadonlyMap<ClientId, ClientConnection> {
    return this.#connections;
  }

  get mode(): FrontMode {
    return this.#mode;
  }

  /**
   * Whoever had a session under the other mode has to begin anew: a client that may write had better look for
   * a server that has a leader, and one that reads here shall have its session back.
   */
  setMode(mode: FrontMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    const reason = mode === "ordinary" ? "the server is read-only no more" : "the server is cut off";
    for (const connection of this.#connections.values()) {
      if (connection.phase !== "greeting") this.#close(connection, reason);
    }
  }

  opened(client: ClientId, address: string, port: number, now: Instant): void {
    const connection = new ClientConnection(client, address, port, now, this.#options.mutant);
    if (this.#options.skipAcl) connection.addIds([{ scheme: "super", id: "" }]);
    this.#connections.set(client, connection);
  }

  /** Bytes from a client, cut anywhere. They are the front's from now on. */
  take(client: ClientId, bytes: Uint8Array, now: Instant): void {
    const connection = this.#connections.get(client);
    if (connection === undefined || connection.phase === "ended") return;
    connection.heardAt = now;
    connection.frames.push(bytes);
    if (connection.phase === "open" && !connection.readOnly) this.#touched.set(connection.session, now);
    // Its read waits for others, or for a leader.
    if (connection.reading && connection.frames.held > MODEST) this.#pause(connection);
    this.#advance(connection, now);
  }

  /** At the end of a turn: so much more of what was said to these clients has been written. */
  wrote(written: readonly Written[], now: Instant): void {
    for (const [client, reason] of this.#balance.wrote(written, now)) this.#cutOff(client, reason);
    const unread = this.#unread;
    this.#unread = new Set();
    for (const connection of unread) this.#goOn(connection, now);
  }

  closed(client: ClientId): void {
    this.#balance.forget(client);
    const connection = this.#connections.get(client);
    if (connection !== undefined) this.#forget(connection);
  }

  /** An answer of the replica, in the order in which it gives them. */
  answer(answer: Answer, now: Instant): void {
    const connection = this.#connections.get(answer.client);
    if (answer.kind === "reply" && this.#options.mutant !== "events-after-answers")
      this.#tellUpTo(answer.zxid);
    if (connection === undefined || !this.#connections.has(answer.client)) return;
    if (answer.kind === "behind")
      this.#close(connection, "its client has seen a newer state than this server's");
    else if (answer.kind !== "reply") this.#close(connection, answer.reason);
    else if (connection.phase === "joining") this.#join(connection, answer.result, now);
    else {
      this.#reply(connection, answer.tag, answer.zxid, answer.result, now);
      this.#goOn(connection, now);
    }
  }

  /** At the end of a step of the replica, after its answers: the events that no answer reflects yet. */
  tellEvents(): void {
    this.#tellUpTo(null);
  }

  /** Now and then, about once a tick. */
  pass(now: Instant): void {
    for (const [client, reason] of this.#balance.stuckForGood(now)) this.#cutOff(client, reason);
    for (const connection of this.#connections.values()) {
      const reason = overdue(connection, this.#options.patience, now);
      if (reason !== null) this.#close(connection, reason);
      // What is not read cannot be heard.
      else if (connection.phase === "open" && connection.paused) this.#touched.set(connection.session, now);
    }
  }

  /** When sessions gave signs of life since the last call; one that comes back, before it is here again. */
  takeTouched(): ReadonlyMap<number, Instant> {
    const touched = this.#touched;
    this.#touched = new Map();
    return touched;
  }

  /** To be called until there are none. */
  takeEffects(): readonly FrontEffect[] {
    const read = this.#effects.length > 0 ? undefined : this.#reads.next(this.#balance, this.#connections);
    if (read !== undefined) this.#ask(read);
    const effects = this.#effects;
    if (effects.length > 0) this.#effects = [];
    return effects;
  }

  dropAll(reason: string): void {
    for (const connection of this.#connections.values()) this.#close(connection, reason);
  }

  /** Those whose sessions are at other servers. */
  dropMoved(): void {
    const isHere = ({ phase, session }: ClientConnection): boolean =>
      phase !== "open" || this.#tree.state.sessions.get(session)?.server === this.#options.self;
    for (const each of this.#connections.values()) if (!isHere(each)) this.#close(each, MOVED);
  }

  /** As `srst` and `crst` do. */
  clearStatistics(of: "server" | "connections"): void {
    if (of === "server") this.counts.clear();
    else for (const connection of this.#connections.values()) connection.clearStatistics();
  }

  /** Takes its questions, as far as they may be asked now. */
  #advance(connection: ClientConnection, now: Instant): void {
    const { client, frames } = connection;
    while (connection.isReadFrom) {
      if (!this.#balance.hasRoom(connection)) return this.#awaitReading(connection);
      const cut = frames.next();
      if (cut === null) return;
      if (cut.kind === "nonsense") return this.#close(connection, `a frame of ${cut.length} bytes`);
      this.counts.received(connection);
      if (cut.kind === "word") {
        connection.phase = "ended";
        this.#effects.push({ kind: "word", client, word: cut.word });
      } else if (connection.phase === "greeting") this.#greet(connection, cut.payload);
      else this.#request(connection, cut.payload, now);
    }
    if (frames.held > MOST_HELD) this.#pause(connection);
  }

  #greet(connection: ClientConnection, frame: Uint8Array): void {
    const greeting = greet(frame, this.#options.secrets, this.#tree.state.sessions, this.#mode);
    if (greeting.kind === "refused") {
      if (greeting.response !== null) this.#send(connection, greeting.response);
      return this.#close(connection, greeting.reason);
    }
    connection.greeting = greeting.request;
    connection.session = greeting.request.session;
    connection.timeoutMs = timeoutOf(greeting.request, this.#options.timeouts);
    if (greeting.kind === "readOnly") return this.#welcome(connection, greeting);
    const other = this.#bySession.get(greeting.request.session);
    if (other !== undefined) this.#close(other, "its client connected anew");
    const isSign = this.#options.mutant !== "resume-is-no-sign";
    if (connection.session !== 0 && isSign) this.#touched.set(connection.session, connection.heardAt);
    connection.phase = "joining";
    const { client } = connection;
    this.#ask({ kind: "attach", client, seen: Math.max(ZERO, greeting.request.lastZxidSeen) as Zxid });
    const payload = greeting.transaction(connection.timeoutMs, this.#callerOf(connection, 0));
    this.#ask({ kind: "write", client, tag: null, payload });
  }

  #join(connection: ClientConnection, result: Pieces, now: Instant): void {
    const request = connection.greeting;
    assert(request !== null, "a session for a connection that asked for none");
    const { response, session } = welcome(request, result);
    this.#send(connection, response);
    if (session === null) return this.#close(connection, "its session has expired");
    this.#open(connection, session);
    if (this.#options.mutant !== "resume-is-no-sign") this.#touched.set(session, now);
    this.#goOn(connection, now);
  }

  #welcome(connection: ClientConnection, { request, response }: Greeting & { kind: "readOnly" }): void {
    connection.readOnly = true;
    const session =
      request.session === 0 ? localSession(this.#options.self, this.#readers++) : request.session;
    this.#open(connection, session);
    this.#send(connection, response(session, connection.timeoutMs));
  }

  #open(connection: ClientConnection, session: number): void {
    connection.session = session;
    connection.phase = "open";
    if (!connection.readOnly) this.#bySession.set(session, connection);
  }

  #request(connection: ClientConnection, frame: Uint8Array, now: Instant): void {
    const reader = new JuteReader(frame);
    const { xid, operation: code } = readRequestHeader(reader);
    if (reader.failed) return this.#close(connection, "a frame too short for a request");
    const body = reader.rest();
    const todo = dispatch(code, new JuteReader(body), connection, this.#options.secrets);
    const { client } = connection;
    const isKnown = todo.kind === "known";
    const owed: Owed = {
      xid,
      operation: todo.operation ?? "unknown",
      at: now,
      echo: todo.kind === "sync" ? todo.echo : null,
      known: isKnown ? todo : null,
      reads: todo.kind === "read",
      last: todo.kind !== "sync" && todo.last,
      bytes: frame.length + connection.idBytes + ASKED_OVERHEAD,
    };
    if (owed.last) connection.phase = "ended";
    this.#balance.owe(connection, owed.bytes);
    const mayPass = isKnown && this.#options.mutant === "known-passes-pause";
    if (this.#balance.asksTooMuch(connection) && !mayPass) this.#pause(connection);
    const payload = (operation: Operation): Uint8Array =>
      writePayload(operation, this.#callerOf(connection, xid), body);
    if (connection.readOnly)
      this.#answerHere(connection, owed, todo.kind === "known" ? null : payload(todo.operation), now);
    else if (todo.kind === "known" || todo.kind === "sync") this.#ask({ kind: todo.kind, client, tag: owed });
    else if (todo.kind === "write")
      this.#ask({ kind: "write", client, tag: owed, payload: payload(todo.operation) });
    else {
      // How much its answer is nobody knows: the next question waits until there is room for that one.
      connection.reading = true;
      const read = { kind: "read", client, tag: owed, query: payload(todo.operation) } as const;
      this.#reads.add(read, connection.frames.holdsMore);
    }
  }

  /** Cut off from the others: what is known here is all there is. */
  #answerHere(connection: ClientConnection, owed: Owed, query: Uint8Array | null, now: Instant): void {
    const result = query === null ? [] : this.#tree.read(connection.client, query);
    this.#tellUpTo(this.#tree.applied);
    this.#reply(connection, owed, this.#tree.applied, result, now);
  }

  #reply(connection: ClientConnection, owed: Owed | null, zxid: Zxid, result: Pieces, now: Instant): void {
    assert(owed !== null, "a session was given to a connection that has one");
    if (owed.known === null && errorOf(result) === ERRORS.sessionMoved) return this.#close(connection, MOVED);
    if (owed.reads) connection.reading = false;
    this.#sendAnswer(connection, owed, zxid, frameFor(owed, zxid, result), now);
  }

  #sendAnswer(connection: ClientConnection, owed: Owed, zxid: Zxid, frame: Pieces, now: Instant): void {
    this.#balance.pay(connection, owed.bytes);
    this.#send(connection, ...frame);
    this.counts.answered(connection, owed, zxid, now);
    if (owed.last) this.#close(connection, "its client ended it");
  }

  /** Events up to and with this zxid, or all. */
  #tellUpTo(zxid: Zxid | null): void {
    for (const event of this.#events.takeUpTo(zxid)) this.#tell(event);
  }

  #tell(event: TreeEvent): void {
    switch (event.kind) {
      case "watch": {
        const connection = this.#connections.get(event.client);
        if (connection === undefined) return;
        if (event.acl !== null && !mayRead(event.acl, connection.ids)) return;
        this.#send(connection, this.#frames.of(event.type, event.path));
        break;
      }
      case "sessionEnded": {
        const connection = this.#bySession.get(event.session);
        // One that asked for it has its answer to come.
        if (connection !== undefined && connection.phase !== "ended")
          this.#close(connection, "its session ended");
        break;
      }
      case "replaced":
        this.dropAll("the state came as a snapshot: its watches may have missed changes");
        break;
    }
  }

  #callerOf({ session, ids }: ClientConnection, xid: number): Caller {
    return { session, xid, ids, options: carriedBy(this.#options) };
  }

  #ask(ask: Ask): void {
    this.#effects.push({ kind: "ask", ask });
  }

  #send(connection: ClientConnection, ...pieces: Pieces): void {
    const { client } = connection;
    this.counts.said(connection, lengthOf(pieces));
    this.#balance.said(client, lengthOf(pieces));
    for (const bytes of pieces) this.#effects.push({ kind: "send", client, bytes });
  }

  #pause(connection: ClientConnection): void {
    if (connection.paused) return;
    connection.paused = true;
    this.#effects.push({ kind: "pause", client: connection.client });
  }

  /** With what it asked meanwhile, unless it has to wait still. */
  #goOn(connection: ClientConnection, now: Instant): void {
    if (connection.phase === "ended") return;
    if (!this.#balance.hasRoom(connection)) return this.#awaitReading(connection);
    if (connection.paused) {
      if (connection.reading || !this.#balance.asksLittle(connection)) return;
      connection.paused = false;
      this.#effects.push({ kind: "resume", client: connection.client });
    }
    this.#advance(connection, now);
  }

  #awaitReading(connection: ClientConnection): void {
    this.#unread.add(connection);
    this.#pause(connection);
  }

  /** At once, with all that it has not read. */
  #cutOff(client: ClientId, reason: string): void {
    const connection = this.#connections.get(client);
    if (connection !== undefined) this.#forget(connection);
    this.#balance.forget(client);
    this.#effects.push({ kind: "cutOff", client, reason });
  }

  #close(connection: ClientConnection, reason: string): void {
    if (this.#connections.get(connection.client) !== connection) return;
    this.#forget(connection);
    this.#effects.push({ kind: "close", client: connection.client, reason });
  }

  #forget(connection: ClientConnection): void {
    const { client, session } = connection;
    const attached = connection.phase !== "greeting" && connection.greeting !== null && !connection.readOnly;
    connection.phase = "ended";
    this.#connections.delete(client);
    this.#balance.release(connection);
    this.#unread.delete(connection);
    if (this.#bySession.get(session) === connection) this.#bySession.delete(session);
    this.#tree.watches.forget(client);
    if (attached) this.#ask({ kind: "detach", client });
  }
}

function frameFor({ xid, known, echo }: Owed, zxid: Zxid, result: Pieces): Pieces {
  if (known !== null) return replyFrame(xid, known.zxid ?? zxid, [known.result]);
  return replyFrame(xid, zxid, echo === null ? result : [echo]);
}

const MOVED = "its client is at another server now";
