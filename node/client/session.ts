/**
 * A session as its client keeps it, without a socket or a clock: bytes and time come in, bytes and events go
 * out.
 *
 * A session outlives its connections. When one ends, or its server is silent for two thirds of the session's
 * timeout, what was under way is lost to it, and the next server is shown the session's id and password; what
 * was asked meanwhile waits. The answers of one connection come in the order of the questions: one that does
 * not is the end of its connection.
 */

import { Arena } from "../core/arena.ts";
import { assert, unreachable } from "../core/assert.ts";
import {
  after,
  between,
  type Duration,
  type Instant,
  instant,
  milliseconds,
  toMilliseconds,
} from "../core/time.ts";
import { ERRORS } from "../wire/client/error.ts";
import { type Credentials, NO_SESSION, readWelcome, writeHello } from "../wire/client/handshake.ts";
import { framed, REPLY_HEADER_BYTES, XID } from "../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { readWatchEvent } from "../wire/client/watch.ts";
import { Frames } from "./frames.ts";
import { Outstanding } from "./outstanding.ts";
import { ORDINARY, Places, type Policy, windowOf } from "./policy.ts";
import { type Asked, intAt, packed, Question } from "./question.ts";
import type { SessionEffect, SessionInput, SessionTimer } from "./session-protocol.ts";
import { WatchBook } from "./watch-book.ts";

/** Of the session's timeout: silence that ends a connection, and one after which a ping is sent. */
const [SILENT, QUIET] = [2 / 3, 1 / 3];
/** Requests in one write: more would only wait on this side of the connection, and count as sent. */
const MOST_AT_ONCE = 256;

const PING = new Question({ kind: "ping" });
const CLOSE = new Question({ kind: "closeSession" });
const NONE: readonly never[] = [];

/** `idle` until it is told to connect, `resting` before it tries again, `closing` while it says its last. */
type Phase = "idle" | "resting" | "dialing" | "greeting" | "open" | "closing" | "ended";

export class ClientSession<Tag> {
  readonly #policy: Policy;
  readonly #places: Places;
  readonly #servers: number;
  readonly #arena = new Arena();
  readonly #watches = new WatchBook();
  readonly #outstanding: Outstanding<Tag>;
  #frames = new Frames();
  #phase: Phase = "idle";
  #credentials: Credentials;
  #timeout: Duration;
  #lastZxid = 0;
  #attempts = 0;
  #hasRoom = true;
  #closingXid = 0;
  #heardAt = instant(0);
  #spokeAt = instant(0);
  #effects: SessionEffect<Tag>[] = [];

  /** Servers are called by their place in a list of so many; the session may be of an earlier life. */
  constructor(servers: number, policy: Partial<Policy> = {}, session = NO_SESSION) {
    this.#credentials = session;
    this.#policy = { ...ORDINARY, ...policy };
    const { order, first, pace, timeout } = this.#policy;
    this.#servers = servers;
    this.#places = new Places(order, servers, first);
    this.#outstanding = new Outstanding(windowOf(pace));
    this.#timeout = timeout;
  }

  /** Where it is, or will be next. */
  get server(): number {
    return this.#places.at;
  }

  get credentials(): Credentials {
    return this.#credentials;
  }

  get isOpen(): boolean {
    return this.#phase === "open";
  }

  /** The newest state that it was told of. */
  get lastZxid(): number {
    return this.#lastZxid;
  }

  get waiting(): number {
    return this.#outstanding.waiting;
  }

  get underWay(): number {
    return this.#outstanding.underWay;
  }

  /** It goes out with the next `flush`, or as soon as it can; `id` where the question has a place for it. */
  ask(question: Question, tag: Tag, id = 0): void {
    this.#outstanding.ask(question, tag, id);
  }

  /** What was not sent will not be any more. */
  takeWaiting(): readonly Asked<Tag>[] {
    return this.#outstanding.takeWaiting();
  }

  step(input: SessionInput, now: Instant): readonly SessionEffect<Tag>[] {
    this.#react(input, now);
    if (this.#effects.length === 0) return NONE;
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  #react(input: SessionInput, now: Instant): void {
    switch (input.kind) {
      case "flush":
        return this.#flush(now);
      case "received":
        return this.#receive(input.bytes, now);
      case "room":
        this.#hasRoom = true;
        return this.#flush(now);
      case "full":
        this.#hasRoom = false;
        return;
      case "connect":
        if (input.anew === true) this.#forget();
        return this.#begin(input.server ?? this.#places.at);
      case "connected":
        if (this.#phase === "dialing") this.#greet(now);
        return;
      case "disconnected":
        return this.#over("the connection ended", "known");
      case "timeout":
        return this.#timedOut(input.timer, now);
      case "leave":
        return this.#over("its client leaves it");
      case "close":
        return this.#close(now);
      case "abandon":
        return this.#end(false, "its client leaves");
      default:
        return unreachable(input);
    }
  }

  #timedOut(timer: SessionTimer, now: Instant): void {
    if (timer === "look") this.#look(now);
    else if (timer === "again") this.#begin(this.#places.at);
    else if (this.#phase === "closing") this.#end(false, "no answer to its end");
    else if (this.#phase === "dialing" || this.#phase === "greeting") this.#over("no session in time");
  }

  #begin(server: number): void {
    if (this.#phase !== "idle" && this.#phase !== "resting") return;
    this.#places.go(server);
    this.#connect();
  }

  #connect(): void {
    this.#phase = "dialing";
    this.#frames = new Frames();
    this.#hasRoom = true;
    this.#effects.push({ kind: "connect", server: this.#places.at });
    this.#arm("patience", this.#policy.patience);
  }

  #greet(now: Instant): void {
    this.#phase = "greeting";
    const { timeout, readOnly } = this.#policy;
    const hello = { lastZxidSeen: this.#lastZxid, timeoutMs: toMilliseconds(timeout), readOnly };
    const payload = writeHello(new JuteWriter(64), this.#credentials, hello).finish();
    this.#write(framed(payload), now);
  }

  #receive(bytes: Uint8Array, now: Instant): void {
    this.#heardAt = now;
    const frames = this.#frames;
    frames.push(bytes);
    for (let frame = frames.next(); frame !== null; frame = frames.next()) {
      if (this.#phase === "greeting") this.#welcomed(frame, now);
      else if (this.#phase === "open" || this.#phase === "closing") this.#hear(frame);
      // What comes behind the end of a connection was said on none.
      else return;
    }
    if (frames.isNonsense) this.#over("a frame of impossible length");
    else this.#flush(now);
  }

  #welcomed(frame: Uint8Array, now: Instant): void {
    const reader = new JuteReader(frame);
    const { session, timeoutMs, readOnly } = readWelcome(reader);
    if (reader.failed) return this.#over("it did not answer with a handshake");
    if (session === null) return this.#expired();
    const resumed = this.#credentials !== NO_SESSION;
    // A server that is cut off gives a session that no other would know.
    if (!readOnly) this.#credentials = session;
    this.#timeout = milliseconds(timeoutMs);
    this.#phase = "open";
    this.#attempts = 0;
    this.#disarm("patience");
    this.#effects.push({ kind: "opened", resumed, readOnly });
    if (this.#policy.pings === "by itself") this.#arm("look", this.#part(QUIET));
    for (const auth of this.#policy.auth) this.#say(new Question(auth), now);
    for (const watches of this.#watches.requests(this.#lastZxid)) this.#say(new Question(watches), now);
  }

  #expired(): void {
    this.#forget();
    this.#effects.push({ kind: "expired" });
    if (this.#policy.afterExpiry === "end") this.#end(false, "its session has expired");
    else this.#over("its session has expired");
  }

  #forget(): void {
    this.#credentials = NO_SESSION;
    this.#lastZxid = 0;
    this.#watches.clear();
  }

  #hear(frame: Uint8Array): void {
    if (frame.length < REPLY_HEADER_BYTES) return this.#over("an answer without a header");
    const xid = intAt(frame, 0);
    if (xid === XID.event) return this.#told(frame);
    const zxid = intAt(frame, 4) * 2 ** 32 + (intAt(frame, 8) >>> 0);
    const error = intAt(frame, 12);
    if (xid === this.#closingXid && this.#phase === "closing") return this.#closed(error);
    const asked = this.#outstanding.answered(xid);
    if (asked === null) return this.#over("an answer out of turn");
    if ("own" in asked) return this.#heardOwn(asked.own, xid, error);
    if (xid > 0 && zxid > this.#lastZxid) this.#lastZxid = zxid;
    const { request } = asked.question;
    if (this.#policy.watches === "kept") this.#watches.answered(request, error);
    if (request.kind === "closeSession" && error === ERRORS.ok) this.#forget();
    this.#effects.push({ kind: "answered", asked, error, zxid, frame });
  }

  #told(frame: Uint8Array): void {
    const reader = new JuteReader(frame, REPLY_HEADER_BYTES);
    const event = readWatchEvent(reader);
    if (reader.failed) return this.#over("an event that cannot be read");
    this.#watches.fired(event.type, event.path);
    this.#effects.push({ kind: "watch", event });
  }

  #heardOwn({ request }: Question, sign: number, error: number): void {
    if (request.kind === "auth" && error !== ERRORS.ok) {
      this.#effects.push({ kind: "auth failed" });
      this.#end(false, "it was not believed");
    } else if (sign === XID.setWatches && !this.#outstanding.isAwaiting(sign)) {
      this.#effects.push({ kind: "watching" });
    }
  }

  #look(now: Instant): void {
    if (this.#phase !== "open") return;
    const leave = after(this.#heardAt, this.#part(SILENT));
    if (now >= leave) return this.#over("it was silent for too long");
    if (now >= after(this.#spokeAt, this.#part(QUIET))) this.#say(PING, now);
    const ping = after(this.#spokeAt, this.#part(QUIET));
    this.#arm("look", between(now, leave < ping ? leave : ping));
  }

  #part(of: number): Duration {
    return Math.ceil(this.#timeout * of) as Duration;
  }

  #flush(now: Instant): void {
    if (this.#phase !== "open" || !this.#hasRoom) return;
    const sendable = this.#outstanding.sendable;
    if (sendable <= 0) return;
    const sent = this.#outstanding.send(Math.min(sendable, MOST_AT_ONCE), this.server, now);
    this.#write(packed(sent, this.#arena), now);
    if (sendable > MOST_AT_ONCE) this.#effects.push({ kind: "more" });
  }

  /** Something of the session's own, which has a sign. */
  #say(question: Question, now: Instant): void {
    const { sign } = question;
    assert(sign !== null, "what the session says of its own accord has a sign");
    this.#outstanding.saidOfOwn(question, sign);
    this.#write(packed([{ question, id: 0, xid: sign }], this.#arena), now);
  }

  #write(bytes: Uint8Array, now: Instant): void {
    this.#spokeAt = now;
    this.#effects.push({ kind: "write", bytes });
  }

  #close(now: Instant): void {
    if (this.#phase !== "open") return this.#end(false, "its client leaves");
    this.#phase = "closing";
    this.#closingXid = this.#outstanding.takeXid();
    this.#write(packed([{ question: CLOSE, id: 0, xid: this.#closingXid }], this.#arena), now);
    this.#disarm("look");
    this.#arm("patience", this.#policy.patience);
  }

  #closed(error: number): void {
    if (error === ERRORS.ok) this.#forget();
    this.#end(error === ERRORS.ok, "its session has ended");
  }

  /** The connection is over, or will not be; unless that is known already, its host is told. */
  #over(reason: string, how: "known" | "news" = "news"): void {
    if (this.#phase === "idle" || this.#phase === "resting" || this.#phase === "ended") return;
    const [isLast, wasOpen] = [this.#phase === "closing", this.isOpen];
    this.#hangUp(reason, how);
    if (isLast) return this.#ended(false);
    if (this.#policy.reconnect === "when told") return;
    this.#places.left(wasOpen);
    this.#attempts += 1;
    if (this.#attempts % this.#servers !== 0) return this.#connect();
    this.#phase = "resting";
    this.#arm("again", this.#policy.pause);
  }

  #hangUp(reason: string, how: "known" | "news"): void {
    const wasOpen = this.#phase === "open" || this.#phase === "closing";
    if (how === "news") this.#effects.push({ kind: "disconnect" });
    this.#disarm("patience");
    this.#disarm("look");
    this.#phase = "idle";
    const { retry } = this.#policy;
    for (const asked of this.#outstanding.lose((question) => retry === "reads" && question.isRead)) {
      this.#effects.push({ kind: "lost", asked });
    }
    this.#effects.push({ kind: "closed", wasOpen, reason });
  }

  #end(acknowledged: boolean, reason: string): void {
    if (this.#phase === "ended") return;
    if (this.#phase === "resting") this.#disarm("again");
    else if (this.#phase !== "idle") this.#hangUp(reason, "news");
    this.#ended(acknowledged);
  }

  #ended(acknowledged: boolean): void {
    this.#phase = "ended";
    this.#effects.push({ kind: "ended", acknowledged });
  }

  #arm(timer: SessionTimer, duration: Duration): void {
    this.#effects.push({ kind: "arm", timer, after: duration });
  }

  #disarm(timer: SessionTimer): void {
    this.#effects.push({ kind: "disarm", timer });
  }
}
