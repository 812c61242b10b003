/**
 * One of a crowd: a session that mostly does nothing. It pings, it may watch znodes, and when its server goes
 * it shows its session to the next one and asks again for its watches, as ZooKeeper's clients do.
 */

import { ERRORS } from "#node/wire/client/error.ts";
import { XID } from "#node/wire/client/header.ts";
import { JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientRequest, writeRequest } from "#node/wire/client/request.ts";
import { HOST } from "../topology/loopback.ts";
import { monotonic } from "../workload/load/clock.ts";
import {
  Connection,
  type ConnectionUser,
  type Credentials,
  framed,
  NO_SESSION,
} from "../workload/load/connection.ts";
import { ping } from "../workload/load/request.ts";

/** What happens to members. */
export interface Watcher {
  pinged(tookUs: number): void;
  /** One of its watches fired. */
  told(): void;
  left(): void;
  returned(): void;
  /** Its session had ended when it came back. */
  expired(): void;
}

export interface Answer {
  readonly error: number;
  readonly tookUs: number;
}

/** Long enough for a crowd to come back all at once. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 50;
const SETWATCHES_XID = -8;

export class Member implements ConnectionUser {
  readonly #ports: readonly number[];
  readonly #timeoutMs: number;
  readonly #watcher: Watcher;
  #port: number;
  #connection: Connection | null = null;
  #session: Credentials = NO_SESSION;
  #isOpen = false;
  #isEnded = false;
  #hasJoined = false;
  readonly #joined = Promise.withResolvers<void>();
  #lastZxid = 0;
  #watched: readonly string[] = [];
  #pingedAt: number | null = null;
  #underWay: { readonly at: number; readonly answered: (answer: Answer | null) => void }[] = [];

  constructor(ports: readonly number[], first: number, timeoutMs: number, watcher: Watcher) {
    this.#ports = ports;
    this.#port = first % ports.length;
    this.#timeoutMs = timeoutMs;
    this.#watcher = watcher;
    this.#connect();
  }

  /** It has a session. */
  get joined(): Promise<void> {
    return this.#joined.promise;
  }

  get isConnected(): boolean {
    return this.#isOpen;
  }

  /** Does nothing while it is not connected, or waits for the last one. */
  ping(): void {
    if (!this.#isOpen || this.#pingedAt !== null) return;
    this.#pingedAt = monotonic();
    this.#connection?.write(ping());
  }

  /** Null when the connection ends before there is an answer. */
  ask(request: ClientRequest): Promise<Answer | null> {
    return new Promise((answered) => {
      this.#underWay.push({ at: monotonic(), answered });
      this.#write(1, request);
    });
  }

  /** Wants to be told when they are created; they are not there. Its next server, too, will hear of them. */
  async watch(paths: readonly string[]): Promise<void> {
    this.#watched = paths;
    const answers = await Promise.all(paths.map((path) => this.ask({ kind: "exists", path, watch: true })));
    if (answers.some((answer) => answer !== null && answer.error !== ERRORS.noNode))
      throw new Error("what is to be watched is there");
  }

  end(): void {
    this.#isEnded = true;
    this.#connection?.end();
  }

  opened(session: Credentials | null): void {
    if (session === null) {
      this.#session = NO_SESSION;
      this.#watcher.expired();
      return;
    }
    this.#session = session;
    this.#isOpen = true;
    if (this.#hasJoined) {
      this.#watcher.returned();
      this.#watchAgain();
    }
    this.#hasJoined = true;
    this.#joined.resolve();
  }

  frame(payload: Buffer): void {
    const xid = payload.readInt32BE(0);
    if (xid === XID.event) return this.#watcher.told();
    const zxid = payload.readInt32BE(4) * 2 ** 32 + payload.readUInt32BE(8);
    this.#lastZxid = Math.max(this.#lastZxid, zxid);
    if (xid === SETWATCHES_XID) return;
    if (xid === XID.ping) {
      this.#watcher.pinged(monotonic() - (this.#pingedAt ?? 0));
      this.#pingedAt = null;
      return;
    }
    const asked = this.#underWay.shift();
    asked?.answered({ error: payload.readInt32BE(12), tookUs: monotonic() - asked.at });
  }

  turn(): void {}

  closed(): void {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#pingedAt = null;
    for (const { answered } of this.#underWay.splice(0)) answered(null);
    if (this.#isEnded) return;
    if (wasOpen) this.#watcher.left();
    this.#port = (this.#port + 1) % this.#ports.length;
    if (wasOpen) this.#connect();
    else setTimeout(() => this.#connect(), PAUSE_MS);
  }

  #connect(): void {
    if (this.#isEnded) return;
    const port = this.#ports[this.#port] as number;
    const reach = { host: HOST, patienceMs: PATIENCE_MS };
    this.#connection = new Connection(port, this.#session, this.#lastZxid, this.#timeoutMs, this, reach);
  }

  #watchAgain(): void {
    if (this.#watched.length === 0) return;
    const none = { data: [], child: [], persistent: [], recursive: [] };
    this.#write(SETWATCHES_XID, {
      kind: "setWatches",
      relativeZxid: this.#lastZxid,
      exist: this.#watched,
      ...none,
    });
  }

  #write(xid: number, request: ClientRequest): void {
    const head = new JuteWriter(256).int(xid).int(OPERATIONS[request.kind]);
    this.#connection?.write(framed(writeRequest(head, request).finish()));
  }
}
