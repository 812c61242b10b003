/**
 * One session on which requests follow each other without waiting for answers: what all clients of a load
 * have in common.
 *
 * When its connection ends, or its server is silent for two thirds of the session's timeout as ZooKeeper's
 * clients have it, what was under way is lost to it, and it shows its session to the next server: the first
 * of its list, else the others in turn. What becomes due meanwhile waits, and so does what a full socket does
 * not take. Nothing is asked twice.
 */

import { XID } from "#node/wire/client/header.ts";
import { Connection, type ConnectionUser, type Credentials, NO_SESSION } from "./connection.ts";
import { closing, ping, type RequestTemplate } from "./request.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Instants in microseconds. */
export interface Asked {
  /** Whatever number its user gave it. */
  readonly id: number;
  readonly sent: number;
}

export interface PipelineUser {
  now(): number;
  answered(asked: Asked, error: number, zxid: number, at: number): void;
  /** Its connection ended first. */
  lost(asked: Asked, at: number): void;
}

/** Of the session's timeout: silence that ends a connection, and one after which a ping is sent. */
const [SILENT, QUIET] = [2 / 3, 1 / 3];
/** Before all servers are tried once more. */
const PAUSE_MS = 10;
/** Requests in one write: more would only wait on this side of the socket, and count as sent. */
const MOST_AT_ONCE = 256;
/** For the end of a session to be under way, so that nothing moves when the servers are read. */
const LAST_WORDS_MS = 300;

/** Whoever lost its server begins with the best of the others; whoever found none goes on to the next. */
export const nextPlace = (at: number, wasOpen: boolean, count: number): number =>
  wasOpen && at !== 0 ? 0 : (at + 1) % count;

export class Pipeline implements ConnectionUser {
  readonly #places: readonly Place[];
  readonly #patienceMs: number;
  readonly #user: PipelineUser;
  #timeoutMs: number;
  #connection: Connection | null = null;
  #session: Credentials = NO_SESSION;
  #lastZxid = 0;
  #at = 0;
  #attempts = 0;
  #isOpen = false;
  #isEnded = false;
  #nextXid = 1;
  #template: RequestTemplate | null = null;
  /** Asked alone, until there is an answer. */
  #alone: { readonly template: RequestTemplate; resolve(error: number): void } | null = null;
  #waiting: number[] = [];
  #underWay: Asked[] = [];
  #heardAt = 0;
  #spokeAt = 0;

  /** A server that takes a connection and then says nothing is left after `patienceMs`. */
  constructor(places: readonly Place[], timeoutMs: number, patienceMs: number, user: PipelineUser) {
    this.#places = places;
    this.#timeoutMs = timeoutMs;
    this.#patienceMs = patienceMs;
    this.#user = user;
    this.#connect();
  }

  /** Its server's place in the list. */
  get at(): number {
    return this.#at;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#underWay.length === 0;
  }

  /** Asks this, again until it is answered, and gives the error code; what becomes due meanwhile waits. */
  once(template: RequestTemplate): Promise<number> {
    const answered = new Promise<number>((resolve) => (this.#alone = { template, resolve }));
    this.#flush();
    return answered;
  }

  /** What is asked from now on. */
  use(template: RequestTemplate): void {
    this.#template = template;
  }

  due(id: number): void {
    this.#waiting.push(id);
  }

  /** What is due goes out together, now or as soon as it can. */
  send(): void {
    this.#flush();
  }

  /** What was not sent will not be any more. */
  takeWaiting(): readonly number[] {
    return this.#waiting.splice(0);
  }

  /** Nobody waits for these answers any more. */
  takeUnderWay(): readonly Asked[] {
    return this.#underWay.splice(0);
  }

  /** To be called a few times a second, where the session should outlive a lull. */
  tick(): void {
    if (!this.#isOpen) return;
    const now = this.#user.now();
    const limit = this.#timeoutMs * 1e3;
    if (now - this.#heardAt > SILENT * limit) this.#connection?.end();
    else if (now - this.#spokeAt > QUIET * limit && this.#underWay.length === 0) this.#write(ping());
  }

  end(): void {
    this.#isEnded = true;
    this.#connection?.end();
  }

  /** Ends the session, too. */
  async close(): Promise<void> {
    this.#isEnded = true;
    if (this.#isOpen) {
      this.#write(closing());
      await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
    }
    this.#connection?.end();
  }

  opened(session: Credentials | null, timeoutMs: number): void {
    this.#session = session ?? NO_SESSION;
    if (session === null) return;
    this.#timeoutMs = timeoutMs;
    this.#isOpen = true;
    this.#attempts = 0;
    this.#heardAt = this.#user.now();
    if (this.#alone !== null) this.#flush();
  }

  frame(payload: Buffer): void {
    this.#heardAt = this.#user.now();
    const xid = payload.readInt32BE(0);
    if (xid === XID.event || xid === XID.ping) return;
    const zxid = payload.readInt32BE(4) * 2 ** 32 + payload.readUInt32BE(8);
    const error = payload.readInt32BE(12);
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    const asked = this.#underWay.shift();
    if (asked === undefined) return;
    if (this.#alone === null) return this.#user.answered(asked, error, zxid, this.#heardAt);
    const alone = this.#alone;
    this.#alone = null;
    alone.resolve(error);
  }

  turn(): void {
    this.#flush();
  }

  closed(): void {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    const now = this.#user.now();
    const lost = this.takeUnderWay();
    if (this.#alone === null) for (const asked of lost) this.#user.lost(asked, now);
    if (this.#isEnded) return;
    this.#at = nextPlace(this.#at, wasOpen, this.#places.length);
    this.#attempts += 1;
    if (this.#attempts % this.#places.length === 0) setTimeout(() => this.#connect(), PAUSE_MS);
    else this.#connect();
  }

  #connect(): void {
    if (this.#isEnded) return;
    const { host, port } = this.#places[this.#at] as Place;
    this.#connection = new Connection(port, this.#session, this.#lastZxid, this.#timeoutMs, this, {
      host,
      patienceMs: this.#patienceMs,
    });
  }

  #flush(): void {
    if (!this.#isOpen || this.#connection?.isFull !== false) return;
    if (this.#alone !== null) {
      if (this.#underWay.length === 0) this.#ask(this.#alone.template, [0]);
      return;
    }
    if (this.#template === null) return;
    while (this.#waiting.length > 0 && !this.#connection.isFull) {
      this.#ask(this.#template, this.#waiting.splice(0, MOST_AT_ONCE));
    }
  }

  #ask(template: RequestTemplate, ids: readonly number[]): void {
    const sent = this.#user.now();
    for (const id of ids) this.#underWay.push({ id, sent });
    this.#write(template.batch(ids, this.#nextXid));
    this.#nextXid = (this.#nextXid + ids.length) % 0x7fff_0000;
  }

  #write(bytes: Uint8Array): void {
    this.#spokeAt = this.#user.now();
    this.#connection?.write(bytes);
  }
}
