/**
 * One client of the load. It keeps requests under way on one session, notes when each should have been sent,
 * was sent and was answered, and when its connection ends it shows its session to the next server. It never
 * asks twice: what was under way when a connection ended is counted as unknown.
 */

import { ERRORS } from "#node/wire/client/error.ts";
import { XID } from "#node/wire/client/header.ts";
import { Connection, type ConnectionUser, type Credentials, NO_SESSION } from "./connection.ts";
import type { RequestTemplate } from "./request.ts";

/** What becomes of requests; all instants in microseconds. */
export interface Tally {
  now(): number;
  acknowledged(intended: number, sent: number, completed: number): void;
  refused(error: number): void;
  unknown(intended: number): void;
}

/** ZooKeeper clamps it to 20 ticks, 40 s; long enough that no session ends within a measurement. */
const SESSION_TIMEOUT_MS = 30_000;
const PAUSE_BETWEEN_SERVERS_MS = 10;

export class LoadClient implements ConnectionUser {
  readonly #ports: readonly number[];
  readonly #tally: Tally;
  #connection: Connection | null = null;
  #session: Credentials = NO_SESSION;
  #lastZxid = 0;
  #port: number;
  #connected = false;
  #stopped = false;
  #template: RequestTemplate | null = null;
  #nextXid = 1;
  /** When each request should have been sent: those that wait for a connection, and those under way. */
  #waiting: number[] = [];
  #underWay: { readonly intended: number; readonly sent: number }[] = [];
  /** In a closed loop every answer makes room for the next request. */
  #closedLoop = false;
  #reply: { resolve(error: number): void } | null = null;

  constructor(ports: readonly number[], first: number, tally: Tally) {
    this.#ports = ports;
    this.#port = first % ports.length;
    this.#tally = tally;
  }

  /** Connects, asks once and gives the error code of the answer; tries on until it has an answer. */
  async once(template: RequestTemplate): Promise<number> {
    this.#template = template;
    const answered = new Promise<number>((resolve) => (this.#reply = { resolve }));
    this.#waiting = [this.#tally.now()];
    if (this.#connection === null) this.#connect();
    else this.#flush();
    const error = await answered;
    this.#reply = null;
    return error;
  }

  use(template: RequestTemplate): void {
    this.#template = template;
  }

  /** Keeps so many requests under way from now on. */
  keep(outstanding: number): void {
    this.#closedLoop = true;
    for (let count = 0; count < outstanding; count++) this.#waiting.push(this.#tally.now());
    this.#flush();
  }

  /** Sends one request that was due at `intended`, or keeps it until it is connected. */
  due(intended: number): void {
    this.#waiting.push(intended);
    this.#flush();
  }

  get idle(): boolean {
    return this.#waiting.length + this.#underWay.length === 0;
  }

  /** No request is sent any more. */
  rest(): void {
    this.#closedLoop = false;
    this.#waiting = [];
  }

  stop(): void {
    this.#stopped = true;
    for (const intended of this.#waiting) this.#tally.unknown(intended);
    this.#connection?.end();
  }

  opened(session: Credentials | null): void {
    this.#connected = session !== null;
    this.#session = session ?? NO_SESSION;
  }

  frame(payload: Buffer): void {
    const xid = payload.readInt32BE(0);
    if (xid === XID.event || xid === XID.ping) return;
    this.#lastZxid = Math.max(this.#lastZxid, Number(payload.readBigInt64BE(4)));
    const error = payload.readInt32BE(12);
    const asked = this.#underWay.shift();
    if (asked === undefined) return;
    const now = this.#tally.now();
    if (this.#reply !== null) return this.#reply.resolve(error);
    if (error === ERRORS.ok) this.#tally.acknowledged(asked.intended, asked.sent, now);
    else this.#tally.refused(error);
    if (this.#closedLoop) this.#waiting.push(now);
  }

  turn(): void {
    this.#flush();
  }

  closed(): void {
    this.#connected = false;
    for (const { intended } of this.#underWay) {
      this.#tally.unknown(intended);
      if (this.#closedLoop || this.#reply !== null) this.#waiting.push(this.#tally.now());
    }
    this.#underWay = [];
    this.#port = (this.#port + 1) % this.#ports.length;
    if (!this.#stopped) setTimeout(() => this.#connect(), PAUSE_BETWEEN_SERVERS_MS);
  }

  #connect(): void {
    if (this.#stopped) return;
    const port = this.#ports[this.#port] as number;
    this.#connection = new Connection(port, this.#session, this.#lastZxid, SESSION_TIMEOUT_MS, this);
  }

  #flush(): void {
    if (!this.#connected || this.#waiting.length === 0 || this.#template === null) return;
    const sent = this.#tally.now();
    for (const intended of this.#waiting) this.#underWay.push({ intended, sent });
    this.#connection?.write(this.#template.batch(this.#waiting.length, this.#nextXid));
    this.#nextXid += this.#waiting.length;
    this.#waiting = [];
  }
}
