/**
 * One session of a ZooKeeper client, one request at a time, with nothing done behind its user's back: a lost
 * connection is an answer, and going on is for the user to decide.
 */

import { setTimeout as delay } from "node:timers/promises";
import { XID } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientReply, type ClientRequest, readReply, writeRequest } from "#node/wire/client/request.ts";
import { readWatchEvent, type WatchEvent } from "#node/wire/client/watch.ts";
import { Connection, type Credentials, framed, NO_SESSION } from "../workload/load/connection.ts";

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

/** A server that keeps a connection open and does not answer on it. */
export class Silence extends Error {
  /** Where, when that is known. */
  readonly connectString: string | null;

  constructor(message: string, connectString: string | null = null) {
    super(connectString === null ? message : `${message} (${connectString})`);
    this.connectString = connectString;
  }
}

const SESSION_TIMEOUT_MS = 20_000;
const SILENCE_MS = 10_000;
const ATTEMPTS = 500;
const PAUSE_MS = 20;

export class Session {
  readonly #longs: Longs;
  readonly #watcher: (event: WatchEvent) => void;
  readonly #ports: readonly number[];
  #port: number;
  #credentials: Credentials = NO_SESSION;
  #connection: Connection | null = null;
  #asked: { readonly request: ClientRequest; resolve(answer: Answer): void } | null = null;
  #closed: (() => void) | null = null;
  #events: WatchEvent[] = [];
  #lastZxid = 0;
  #nextXid = 1;

  /** Events are kept for `takeEvents`, unless there is a watcher to be told at once. */
  constructor(
    ports: readonly number[],
    port: number,
    longs: Longs,
    watcher: ((event: WatchEvent) => void) | null = null,
  ) {
    this.#longs = longs;
    this.#watcher = watcher ?? ((event) => this.#events.push(event));
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

  /** Ends the session and begins another. */
  async close(): Promise<Answer> {
    const answer = await this.ask({ kind: "closeSession" });
    await this.end();
    this.#credentials = NO_SESSION;
    await this.connect();
    return answer;
  }

  /** Shows the session to the next server. */
  async move(): Promise<Answer> {
    await this.end();
    this.#port = (this.#port + 1) % this.#ports.length;
    return this.connect();
  }

  /** A connection with the session it had, or with a new one when that is over. */
  async restore(): Promise<void> {
    await this.end();
    const answer = await this.connect();
    if (answer.kind !== "refused session") return;
    this.#credentials = NO_SESSION;
    await this.connect();
  }

  /**
   * A server that is down, or has not yet seen what this session has seen, turns it away for now: the next
   * may not.
   */
  async connect(): Promise<Answer> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const answer = await this.#connectOnce();
      if (answer.kind !== "closed") return answer;
      await delay(PAUSE_MS);
      this.#port = (this.#port + 1) % this.#ports.length;
    }
    throw new Error(`none of the ports ${this.#ports.join(", ")} takes the session`);
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

  /** `heard` is called at the moment of the answer, between the events that came before and after it. */
  ask(request: ClientRequest, heard: (answer: Answer) => void = () => {}): Promise<Answer> {
    const connection = this.#connection;
    if (connection === null) {
      heard({ kind: "closed" });
      return Promise.resolve({ kind: "closed" });
    }
    const xid = request.kind === "ping" ? XID.ping : request.kind === "auth" ? XID.auth : this.#nextXid++;
    const writer = new JuteWriter().int(request.kind === "setWatches2" ? XID.setWatches : xid);
    return within(JSON.stringify(request), (resolve) => {
      this.#asked = {
        request,
        resolve: (answer) => {
          heard(answer);
          resolve(answer);
        },
      };
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
      this.#watcher(readWatchEvent(reader));
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
    const silence = setTimeout(
      () => reject(new Silence(`${what}: silence for ${SILENCE_MS} ms`)),
      SILENCE_MS,
    );
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
export class Longs {
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

export const portsOf = (connectString: string): number[] =>
  connectString.split(",").map((address) => Number(address.slice(address.lastIndexOf(":") + 1)));
