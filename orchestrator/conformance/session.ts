/**
 * One session of a ZooKeeper client, one request at a time, with nothing done behind its user's back: a lost
 * connection is an answer, and going on is for the user to decide.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Policy } from "#node/client/policy.ts";
import { Question } from "#node/client/question.ts";
import type { Answered, SessionEvent } from "#node/client/session-protocol.ts";
import { seconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { REPLY_HEADER_BYTES } from "#node/wire/client/header.ts";
import { JuteReader } from "#node/wire/client/jute.ts";
import { type ClientReply, type ClientRequest, readReply } from "#node/wire/client/request.ts";
import type { WatchEvent } from "#node/wire/client/watch.ts";
import { HOST } from "../topology/loopback.ts";

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

/** Nothing of its own accord. */
const PASSIVE: Partial<Policy> = {
  timeout: seconds(20),
  // Shorter than a busy server's answer, it would show a session to two servers at once.
  patience: seconds(5),
  reconnect: "when told",
  watches: "left",
  pings: "when asked",
};
const SILENCE_MS = 10_000;
const ATTEMPTS = 500;
const PAUSE_MS = 20;

/** A question's way back. */
interface Way {
  resolve(answer: Answer): void;
}

export class ScriptSession {
  readonly #longs: Longs;
  readonly #watcher: (event: WatchEvent) => void;
  readonly #ports: readonly number[];
  readonly #live: LiveSession<Way>;
  /** Who waits for a session, or for the refusal of one. */
  #knocking: Way | null = null;
  #events: WatchEvent[] = [];

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
    this.#live = new LiveSession({
      places: ports.map((each) => ({ host: HOST, port: each })),
      policy: { ...PASSIVE, first: port },
      heard: (event) => this.#hear(event),
    });
  }

  /** As its own `ephemeralOwner` is told. */
  get id(): number {
    return new ExactReader(this.#live.state.credentials.id, this.#longs).long();
  }

  /** How far the servers were that answered it. */
  get lastZxid(): number {
    return this.#live.state.lastZxid;
  }

  /** Ends the session and begins another. */
  async close(): Promise<Answer> {
    const answer = await this.ask({ kind: "closeSession" });
    this.end();
    await this.connect(this.#live.state.server, true);
    return answer;
  }

  /** Shows the session to the next server. */
  async move(): Promise<Answer> {
    this.end();
    return this.connect(this.#next);
  }

  /** A connection with the session it had, or with a new one when that is over. */
  async restore(): Promise<void> {
    this.end();
    const answer = await this.connect();
    if (answer.kind === "refused session") await this.connect();
  }

  /**
   * A server that is down, or has not yet seen what this session has seen, turns it away for now: the next
   * may not.
   */
  async connect(first = this.#live.state.server, anew = false): Promise<Answer> {
    for (let [attempt, port] = [0, first]; attempt < ATTEMPTS; attempt++) {
      const answer = await within("a connection", (resolve) => {
        this.#knocking = { resolve };
        this.#live.connect(port, anew);
      });
      if (answer.kind !== "closed") return answer;
      await delay(PAUSE_MS);
      port = this.#next;
    }
    throw new Error(`none of the ports ${this.#ports.join(", ")} takes the session`);
  }

  /** `heard` is called at the moment of the answer, between the events that came before and after it. */
  ask(request: ClientRequest, heard: (answer: Answer) => void = () => {}): Promise<Answer> {
    if (!this.#live.state.isOpen) {
      heard({ kind: "closed" });
      return Promise.resolve({ kind: "closed" });
    }
    return within(JSON.stringify(request), (resolve) => {
      const way = (answer: Answer): void => {
        heard(answer);
        resolve(answer);
      };
      this.#live.ask(new Question(request), { resolve: way });
      this.#live.flush();
    });
  }

  takeEvents(): WatchEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Ends the connection and leaves the session. */
  end(): void {
    this.#live.leave();
  }

  get #next(): number {
    return (this.#live.state.server + 1) % this.#ports.length;
  }

  #hear(event: SessionEvent<Way>): void {
    switch (event.kind) {
      case "opened":
        return this.#knocked({ kind: "reply", error: 0, zxid: this.lastZxid, reply: { kind: "done" } });
      case "expired":
        return this.#knocked({ kind: "refused session" });
      case "closed":
        return this.#knocked({ kind: "closed" });
      case "lost":
        return event.asked.tag.resolve({ kind: "closed" });
      case "watch":
        return this.#watcher(event.event);
      case "answered":
        return event.asked.tag.resolve(this.#read(event));
      default:
    }
  }

  #knocked(answer: Answer): void {
    const waiting = this.#knocking;
    this.#knocking = null;
    waiting?.resolve(answer);
  }

  #read({ asked, error, zxid, frame }: Answered<Way>): Answer {
    const reader = new ExactReader(frame, this.#longs, REPLY_HEADER_BYTES);
    const reply = error === 0 ? readReply(asked.question.request.kind, reader) : null;
    if (!reader.failed && reader.left === 0) return { kind: "reply", error, zxid, reply };
    return { kind: "unreadable", bytes: Buffer.from(frame).toString("hex") };
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

  constructor(bytes: Uint8Array, longs: Longs, at = 0) {
    super(bytes, at);
    this.#longs = longs;
  }

  override long(): number {
    const high = BigInt(this.int());
    return this.#longs.number((high << 32n) | BigInt(this.int() >>> 0));
  }
}

export const portsOf = (connectString: string): number[] =>
  connectString.split(",").map((address) => Number(address.slice(address.lastIndexOf(":") + 1)));
