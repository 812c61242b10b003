/**
 * A client's session that survives what is done to the servers: it goes from server to server, and every
 * request ends as answered or as unknown. What it sees is written down at the moment it arrives, because the
 * order of what one session sees is what is checked.
 */

import type { Random } from "#node/core/random.ts";
import { type Instant, instant } from "#node/core/time.ts";
import type { Zxid } from "#node/core/zxid.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { XID } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientReply, type ClientRequest, readReply, writeRequest } from "#node/wire/client/request.ts";
import { readWatchEvent } from "#node/wire/client/watch.ts";
import {
  Connection,
  type ConnectionUser,
  type Credentials,
  framed,
  NO_SESSION,
} from "../workload/load/connection.ts";
import type { Entry } from "../check/history.ts";
import { WatchBook } from "./watch-book.ts";

export interface Answer {
  readonly session: string;
  readonly invoked: Instant;
  readonly completed: Instant;
  /** Null when no answer came; then the rest says nothing. */
  readonly error: number | null;
  readonly zxid: Zxid | null;
  readonly reply: ClientReply | null;
  /** The last 68 bytes of an answer with a stat are the stat. */
  readonly payload: Buffer | null;
}

interface Asked {
  readonly request: ClientRequest;
  readonly invoked: Instant;
  readonly session: string;
  readonly answered: (answer: Answer) => void;
}

/** Where clients reach a server. */
export interface ClientAddress {
  readonly host: string;
  readonly clientPort: number;
}

/** How long a server may say nothing at all. */
const PATIENCE_MS = 1500;
/**
 * How long an answer is waited for: some clients leave before another leader is found, some are still there
 * when the old one wakes up.
 */
const ANSWER_MS = [PATIENCE_MS, 3000] as const;
const PAUSE_MS = 20;

export const now = (): Instant => instant(performance.now() * 1000);

export class Session implements ConnectionUser {
  readonly timeoutMs: number;
  readonly #servers: readonly ClientAddress[];
  readonly #random: Random;
  readonly #history: Entry[];
  readonly #answerMs: number;
  #connection: Connection | null = null;
  #credentials: Credentials = NO_SESSION;
  #lastZxid = 0;
  #xid = 0;
  #underWay: Asked[] = [];
  #opened = Promise.withResolvers<void>();
  #isOpen = false;
  #stopped = false;
  readonly #watches = new WatchBook();
  /** Of the last request that was answered: until then, at least, the servers knew that this client lives. */
  heard: Instant = instant(0);

  /** How often it went on at another connection. */
  moves = 0;

  /** They are tried in random order; with one it stays there. */
  constructor(servers: readonly ClientAddress[], timeoutMs: number, random: Random, history: Entry[]) {
    this.#servers = servers;
    this.timeoutMs = timeoutMs;
    this.#random = random;
    this.#answerMs = random.pick(ANSWER_MS);
    this.#history = history;
    this.#connect();
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  get name(): string {
    return Buffer.from(this.#credentials.id).toString("hex");
  }

  /** Sends them together; `record` hears of the answers the moment the last has come. */
  async ask(
    requests: readonly ClientRequest[],
    record: (answers: readonly Answer[]) => void = () => {},
  ): Promise<readonly Answer[]> {
    while (!this.#isOpen && !this.#stopped) await this.#opened.promise;
    const answers: Answer[] = [];
    const done = Promise.withResolvers<readonly Answer[]>();
    const answered = (answer: Answer): void => {
      answers.push(answer);
      if (answers.length < requests.length) return;
      record(answers);
      done.resolve(answers);
    };
    const [invoked, session] = [now(), this.name];
    for (const request of requests) {
      this.#underWay.push({ request, invoked, session, answered });
      this.#connection?.write(requestFrame(request, (this.#xid = (this.#xid + 1) & 0x7fff_ffff)));
    }
    const impatient = setTimeout(() => this.move(), this.#answerMs);
    const result = await done.promise;
    clearTimeout(impatient);
    return result;
  }

  /** To another server, if there is another. */
  move(): void {
    this.#connection?.end();
  }

  /** Ends the session, opened anew by then or not; true when a server has said so. */
  async close(): Promise<boolean> {
    const [answer] = await this.ask([{ kind: "closeSession" }]);
    if (answer?.error !== ERRORS.ok) return false;
    this.#over(answer.session);
    return true;
  }

  stop(): void {
    this.#stopped = true;
    this.#connection?.end();
    this.#opened.resolve();
  }

  opened(session: Credentials | null): void {
    if (session === null) return this.#over(this.name);
    if (this.#credentials !== NO_SESSION) this.moves += 1;
    this.#credentials = session;
    this.#isOpen = true;
    const watches = this.#watches.request(this.#lastZxid);
    if (watches !== null) this.#connection?.write(requestFrame(watches, XID.setWatches));
    this.#opened.resolve();
  }

  frame(payload: Buffer): void {
    const reader = new JuteReader(Buffer.from(payload));
    const [xid, zxid, error] = [reader.int(), reader.long(), reader.int()];
    if (xid === XID.event) {
      const { path } = readWatchEvent(reader);
      this.#watches.fired(path);
      this.#history.push({ kind: "notification", session: this.name, key: path });
      return;
    }
    if (xid === XID.setWatches) {
      this.#history.push({ kind: "resumption", session: this.name });
      return;
    }
    const asked = this.#underWay.shift();
    if (asked === undefined) return;
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    this.heard = asked.invoked;
    const { session, invoked, request, answered } = asked;
    this.#watches.answered(request, error);
    const reply = error === ERRORS.ok ? readReply(request.kind, reader) : null;
    const place = zxid > 0 ? (zxid as Zxid) : null;
    const copy = Buffer.from(payload);
    answered({ session, invoked, completed: now(), error, zxid: place, reply, payload: copy });
  }

  turn(): void {}

  closed(): void {
    const lost = this.#underWay;
    this.#underWay = [];
    if (this.#isOpen) this.#opened = Promise.withResolvers();
    this.#isOpen = false;
    for (const { session, invoked, answered } of lost) {
      answered({ session, invoked, completed: now(), error: null, zxid: null, reply: null, payload: null });
    }
    if (this.#credentials !== NO_SESSION) {
      this.#history.push({ kind: "interruption", session: this.name });
    }
    if (this.#stopped) this.#opened.resolve();
    else setTimeout(() => this.#connect(), PAUSE_MS);
  }

  #over(session: string): void {
    if (this.#credentials === NO_SESSION) return;
    this.#history.push({ kind: "end", session, at: now() });
    this.#credentials = NO_SESSION;
    this.#lastZxid = 0;
    this.#watches.clear();
  }

  #connect(): void {
    if (this.#stopped) return;
    const { host, clientPort } = this.#random.pick(this.#servers);
    const reach = { host, patienceMs: PATIENCE_MS };
    this.#connection = new Connection(
      clientPort,
      this.#credentials,
      this.#lastZxid,
      this.timeoutMs,
      this,
      reach,
    );
  }
}

function requestFrame(request: ClientRequest, xid: number): Uint8Array {
  const writer = new JuteWriter(256).int(xid).int(OPERATIONS[request.kind]);
  return framed(writeRequest(writer, request).finish());
}
