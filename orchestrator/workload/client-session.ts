/**
 * One write client: a session of the ZooKeeper protocol that sends each request when it is due, whether or
 * not earlier ones were answered, and notes what became of it.
 *
 * When its connection ends, or its server is silent for two thirds of the session's timeout as ZooKeeper's
 * clients have it, what was under way is unknown, and it shows its session to the next server: its own, the
 * others of its site, then the nearest. Requests that become due meanwhile wait and are late. Nothing is sent
 * twice.
 */

import { OPEN } from "#node/wire/client/acl.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { XID } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { type ClientRequest, writeRequest } from "#node/wire/client/request.ts";
import {
  Connection,
  type ConnectionUser,
  type Credentials,
  framed,
  NO_SESSION,
} from "../bench/load/connection.ts";
import { ID_BYTES, type PlannedClient, type ServerPlace, znodeOf } from "./client-plan.ts";
import type { Outcome } from "./operation.ts";

/** What became of a request; instants in microseconds of the monotonic clock. */
export interface Ending {
  readonly client: number;
  readonly id: number;
  readonly server: number;
  readonly sent: number;
  readonly completed: number;
  readonly outcome: Outcome;
  readonly zxid: number;
}

export interface ClientSurroundings {
  readonly clientPort: number;
  readonly payloadBytes: number;
  now(): number;
  ended(ending: Ending): void;
}

interface UnderWay {
  readonly id: number;
  readonly sent: number;
}

/** The shortest that servers with a tick of 2 s grant. */
const SESSION_TIMEOUT_MS = 4000;
/** Of the session's timeout: silence that ends a connection, and one after which a ping is sent. */
const [SILENT, QUIET] = [2 / 3, 1 / 3];
/** Before all servers are tried once more. */
const PAUSE_MS = 50;

export class WriteClient implements ConnectionUser {
  readonly #plan: PlannedClient;
  readonly #around: ClientSurroundings;
  readonly #template: Buffer;
  readonly #idAt: number;
  readonly #prepared = Promise.withResolvers<void>();
  #isPrepared = false;
  #connection: Connection | null = null;
  #isOpen = false;
  #isFinished = false;
  #session: Credentials = NO_SESSION;
  #timeoutMs = SESSION_TIMEOUT_MS;
  #lastZxid = 0;
  /** The place of its server in the plan's list. */
  #at = 0;
  #attempts = 0;
  #nextXid = 1;
  #waiting: number[] = [];
  #underWay: UnderWay[] = [];
  #heardAt = 0;
  #spokeAt = 0;

  constructor(plan: PlannedClient, around: ClientSurroundings) {
    this.#plan = plan;
    this.#around = around;
    const path = znodeOf(plan.id);
    const data = Uint8Array.from({ length: Math.max(ID_BYTES, around.payloadBytes) }, (_, at) => at * 167);
    this.#template = Buffer.from(frameOf({ kind: "setData", path, data, version: -1 }));
    // Behind the data there is only the version.
    this.#idAt = this.#template.length - ID_BYTES - data.length;
    this.#connect();
  }

  /** It has a session, and its znode is there. */
  get prepared(): Promise<void> {
    return this.#prepared.promise;
  }

  get isIdle(): boolean {
    return this.#waiting.length + this.#underWay.length === 0;
  }

  /** They go out together, at once or as soon as there is a connection. */
  due(ids: readonly number[]): void {
    this.#waiting.push(...ids);
    this.#flush();
  }

  /** To be called a few times a second. */
  tick(): void {
    if (!this.#isOpen) return;
    const now = this.#around.now();
    const limit = this.#timeoutMs * 1e3;
    if (now - this.#heardAt > SILENT * limit) this.#connection?.end();
    else if (now - this.#spokeAt > QUIET * limit && this.#underWay.length === 0) this.#write(PING);
  }

  /** The run is over; what was not answered will not be known. Resolves when its session has ended. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    const now = this.#around.now();
    for (const { id, sent } of this.#underWay) this.#end(id, sent, now, "unknown");
    for (const id of this.#waiting) this.#end(id, now, now, "failed");
    this.#underWay = [];
    this.#waiting = [];
    if (!this.#isOpen) return this.#connection?.end();
    this.#write(frameOf({ kind: "closeSession" }));
    await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
    this.#connection?.end();
  }

  opened(session: Credentials | null, timeoutMs: number): void {
    if (session === null) {
      this.#session = NO_SESSION;
      return;
    }
    this.#session = session;
    this.#timeoutMs = timeoutMs;
    this.#isOpen = true;
    this.#attempts = 0;
    this.#heardAt = this.#around.now();
    if (this.#isPrepared) return;
    const path = znodeOf(this.#plan.id);
    this.#write(frameOf({ kind: "create", path, data: new Uint8Array(0), acl: OPEN, flags: 0, ttl: -1 }));
  }

  frame(payload: Buffer): void {
    this.#heardAt = this.#around.now();
    const reader = new JuteReader(payload);
    const xid = reader.int();
    if (xid === XID.ping || xid === XID.event) return;
    const zxid = reader.long();
    const error = reader.int();
    this.#lastZxid = Math.max(this.#lastZxid, zxid);
    if (!this.#isPrepared) return this.#prepare(error);
    const asked = this.#underWay.shift();
    if (asked === undefined) return;
    const outcome = outcomeOf(error);
    this.#end(asked.id, asked.sent, this.#heardAt, outcome, outcome === "ok" ? zxid : 0);
  }

  turn(): void {
    this.#flush();
  }

  closed(): void {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    const now = this.#around.now();
    for (const { id, sent } of this.#underWay) this.#end(id, sent, now, "unknown");
    this.#underWay = [];
    if (this.#isFinished) return;
    const { servers } = this.#plan;
    // Whoever lost its server begins with the best of the others.
    this.#at = wasOpen && this.#at !== 0 ? 0 : (this.#at + 1) % servers.length;
    this.#attempts += 1;
    if (this.#attempts % servers.length === 0) setTimeout(() => this.#connect(), PAUSE_MS);
    else this.#connect();
  }

  get #server(): ServerPlace {
    return this.#plan.servers[this.#at] as ServerPlace;
  }

  #connect(): void {
    if (this.#isFinished) return;
    const { host } = this.#server;
    const patienceMs = SILENT * SESSION_TIMEOUT_MS;
    const { clientPort } = this.#around;
    this.#connection = new Connection(clientPort, this.#session, this.#lastZxid, SESSION_TIMEOUT_MS, this, {
      host,
      patienceMs,
    });
  }

  #prepare(error: number): void {
    if (error !== ERRORS.ok && error !== ERRORS.nodeExists) return this.#connection?.end();
    this.#isPrepared = true;
    this.#prepared.resolve();
  }

  #flush(): void {
    if (!this.#isOpen || !this.#isPrepared || this.#waiting.length === 0) return;
    const size = this.#template.length;
    const batch = Buffer.allocUnsafe(this.#waiting.length * size);
    const sent = this.#around.now();
    for (const [index, id] of this.#waiting.entries()) {
      const at = index * size;
      batch.set(this.#template, at);
      batch.writeInt32BE(this.#nextXid, at + XID_AT);
      batch.writeUInt32BE(id, at + this.#idAt);
      this.#nextXid = (this.#nextXid % 0x7fff_ffff) + 1;
      this.#underWay.push({ id, sent });
    }
    this.#waiting = [];
    this.#write(batch);
  }

  #write(bytes: Uint8Array): void {
    this.#spokeAt = this.#around.now();
    this.#connection?.write(bytes);
  }

  #end(id: number, sent: number, completed: number, outcome: Outcome, zxid = 0): void {
    const { id: client } = this.#plan;
    this.#around.ended({ client, id, server: this.#server.id, sent, completed, outcome, zxid });
  }
}

function outcomeOf(error: number): Outcome {
  if (error === ERRORS.ok) return "ok";
  return error === ERRORS.connectionLoss || error === ERRORS.operationTimeout ? "unknown" : "failed";
}

function frameOf(
  request: ClientRequest & { readonly kind: "create" | "setData" | "closeSession" },
): Uint8Array {
  const head = new JuteWriter(2048).int(0).int(OPERATIONS[request.kind]);
  return framed(writeRequest(head, request).finish());
}

const XID_AT = 4;
const PING = framed(new JuteWriter().int(XID.ping).int(OPERATIONS.ping).finish());
/** For the end of the session to be under way, so that nothing moves when the servers are read. */
const LAST_WORDS_MS = 300;
