/**
 * A service under comparison: several sessions, spread over its servers, that do one step after the other,
 * and what each of them heard in reply. A step is over when every session's server is level with the step: a
 * connection keeps order, so whatever the step had to tell a session was told before.
 */

import { setTimeout as delay } from "node:timers/promises";
import { HOST } from "../bench/configuration.ts";
import { Connection, type Credentials, framed, NO_SESSION } from "../bench/load/connection.ts";
import { XID } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientReply, type ClientRequest, readReply, writeRequest } from "#node/wire/client/request.ts";
import { readWatchEvent, type WatchEvent } from "#node/wire/client/watch.ts";
import { SESSIONS, type Step } from "./script.ts";

export type Answer =
  | {
      readonly kind: "reply";
      readonly error: number;
      readonly zxid: number;
      readonly reply: ClientReply | null;
    }
  /** A body that is no reply of its kind, or goes on after it. */
  | { readonly kind: "unreadable"; readonly bytes: string }
  /** The server ended the connection instead. */
  | { readonly kind: "closed" }
  | { readonly kind: "refused session" };

export interface Heard {
  readonly answer: Answer;
  /** Of every session the events that came with this step. */
  readonly events: readonly (readonly WatchEvent[])[];
}

const SESSION_TIMEOUT_MS = 20_000;
const SILENCE_MS = 10_000;
const ATTEMPTS = 100;
const PAUSE_MS = 20;
const LOOK: ClientRequest = { kind: "exists", path: "/", watch: false };

export class Endpoint implements AsyncDisposable {
  readonly sessions: readonly Session[];

  private constructor(sessions: readonly Session[]) {
    this.sessions = sessions;
  }

  static async open(connectString: string): Promise<Endpoint> {
    const ports = connectString.split(",").map((address) => Number(address.replace(`${HOST}:`, "")));
    const longs = new Longs();
    const sessions = Array.from({ length: SESSIONS }, (_, index) => new Session(ports, index, longs));
    for (const session of sessions) await session.connect();
    return new Endpoint(sessions);
  }

  async perform(step: Step): Promise<Heard> {
    const session = this.sessions[step.session] as Session;
    const answer = await session.perform(step);
    if (answer.kind === "closed" || answer.kind === "refused session") await session.restore();
    await this.#level();
    return { answer, events: this.sessions.map((each) => each.takeEvents()) };
  }

  async #level(): Promise<void> {
    const newest = Math.max(...this.sessions.map(({ lastZxid }) => lastZxid));
    for (const session of this.sessions) {
      for (let attempt = 0; ; attempt++) {
        const { kind } = await session.ask(LOOK);
        if (session.lastZxid >= newest && kind === "reply") break;
        if (kind === "closed") await session.restore();
        if (attempt === ATTEMPTS) throw new Error(`a server stays behind 0x${newest.toString(16)}`);
        await delay(1);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) await session.end();
  }
}

export class Session {
  readonly #longs: Longs;
  readonly #ports: readonly number[];
  #port: number;
  #credentials: Credentials = NO_SESSION;
  #connection: Connection | null = null;
  #asked: { readonly request: ClientRequest; resolve(answer: Answer): void } | null = null;
  #closed: (() => void) | null = null;
  #events: WatchEvent[] = [];
  #lastZxid = 0;
  #nextXid = 1;

  constructor(ports: readonly number[], port: number, longs: Longs) {
    this.#longs = longs;
    this.#ports = ports;
    this.#port = port % ports.length;
  }

  /** As its own `ephemeralOwner` is told. */
  get id(): number {
    return new ExactReader(this.#credentials.id, this.#longs).long();
  }

  /** How far the servers were that answered it. */
  get lastZxid(): number {
    return this.#lastZxid;
  }

  async perform(step: Step): Promise<Answer> {
    switch (step.kind) {
      case "ask":
        return this.ask(step.request);
      case "rewatch": {
        const { session: _, since, ...paths } = step;
        const relativeZxid = since === "last" ? this.#lastZxid : 0;
        return this.ask({ ...paths, kind: "setWatches2", relativeZxid });
      }
      case "close": {
        const answer = await this.ask({ kind: "closeSession" });
        await this.end();
        this.#credentials = NO_SESSION;
        await this.connect();
        return answer;
      }
      case "move":
        await this.end();
        this.#port = (this.#port + 1) % this.#ports.length;
        return this.connect();
    }
  }

  /** A connection with the session it had, or with a new one when that is over. */
  async restore(): Promise<void> {
    await this.end();
    const answer = await this.connect();
    if (answer.kind !== "refused session") return;
    this.#credentials = NO_SESSION;
    await this.connect();
  }

  /** A server that has not yet seen what this session has seen turns it away for now. */
  async connect(): Promise<Answer> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = await this.#connectOnce();
      if (answer.kind !== "closed") return answer;
      await delay(PAUSE_MS);
    }
    throw new Error(`port ${this.#ports[this.#port]} does not take the session back`);
  }

  #connectOnce(): Promise<Answer> {
    const port = this.#ports[this.#port] as number;
    return within("a connection", (resolve) => {
      const connection = new Connection(port, this.#credentials, this.#lastZxid, SESSION_TIMEOUT_MS, {
        opened: (session) => {
          if (session !== null) this.#credentials = session;
          resolve(
            session === null
              ? { kind: "refused session" }
              : { kind: "reply", error: 0, zxid: this.#lastZxid, reply: { kind: "done" } },
          );
        },
        frame: (payload) => this.#hear(payload),
        turn: () => {},
        closed: () => {
          resolve({ kind: "closed" });
          if (this.#connection !== connection) return;
          this.#connection = null;
          this.#answer({ kind: "closed" });
          this.#closed?.();
        },
      });
      this.#connection = connection;
    });
  }

  ask(request: ClientRequest): Promise<Answer> {
    const connection = this.#connection;
    if (connection === null) return Promise.resolve({ kind: "closed" });
    const xid = request.kind === "ping" ? XID.ping : request.kind === "auth" ? XID.auth : this.#nextXid++;
    const writer = new JuteWriter().int(request.kind === "setWatches2" ? XID.setWatches : xid);
    return within(JSON.stringify(request), (resolve) => {
      this.#asked = { request, resolve };
      connection.write(framed(writeRequest(writer.int(OPERATIONS[request.kind]), request).finish()));
    });
  }

  takeEvents(): WatchEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Ends the connection and leaves the session. */
  async end(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = resolve;
    connection.end();
    await promise;
    this.#closed = null;
  }

  #hear(payload: Buffer): void {
    const reader = new ExactReader(Uint8Array.from(payload), this.#longs);
    const [xid, zxid, error] = [reader.int(), reader.long(), reader.int()];
    if (xid === XID.event) {
      this.#events.push(readWatchEvent(reader));
      return;
    }
    this.#lastZxid = Math.max(this.#lastZxid, zxid);
    if (this.#asked === null) return;
    const reply = error === 0 ? readReply(this.#asked.request.kind, reader) : null;
    const whole = !reader.failed && reader.left === 0;
    if (whole) this.#answer({ kind: "reply", error, zxid, reply });
    else this.#answer({ kind: "unreadable", bytes: payload.toString("hex") });
  }

  #answer(answer: Answer): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.resolve(answer);
  }
}

function within(what: string, begin: (resolve: (answer: Answer) => void) => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const silence = setTimeout(() => reject(new Error(`${what}: silence for ${SILENCE_MS} ms`)), SILENCE_MS);
    begin((answer) => {
      clearTimeout(silence);
      resolve(answer);
    });
  });
}

/**
 * Apache ZooKeeper's sessions use 64 bits, and differ in the last of them: each gets a number of its own,
 * below zero.
 */
class Longs {
  readonly #numbers = new Map<bigint, number>();

  number(long: bigint): number {
    const same = Number(long);
    if (Number.isSafeInteger(same)) return same;
    const known = this.#numbers.get(long) ?? -2 - this.#numbers.size;
    this.#numbers.set(long, known);
    return known;
  }
}

class ExactReader extends JuteReader {
  readonly #longs: Longs;

  constructor(bytes: Uint8Array, longs: Longs) {
    super(bytes);
    this.#longs = longs;
  }

  override long(): number {
    const high = BigInt(this.int());
    return this.#longs.number((high << 32n) | BigInt(this.int() >>> 0));
  }
}
