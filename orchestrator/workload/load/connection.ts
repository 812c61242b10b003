/**
 * One connection of a ZooKeeper client, down at its frames: it shakes hands, then passes frames both ways.
 * Whoever uses it keeps the session's name and password and may show them to another server.
 */

import { connect, type Socket } from "node:net";
import { PASSWORD_BYTES } from "#node/wire/client/handshake.ts";
import { MAX_FRAME } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { HOST } from "../../topology/loopback.ts";

/** A session as servers know it. Its id stays bytes: Apache ZooKeeper's have all 64 bits. */
export interface Credentials {
  readonly id: Uint8Array;
  readonly password: Uint8Array;
}

export const NO_SESSION: Credentials = { id: new Uint8Array(8), password: new Uint8Array(PASSWORD_BYTES) };

export interface ConnectionUser {
  /** Null when the server knows of no such session any more; the connection ends next. */
  opened(session: Credentials | null, timeoutMs: number): void;
  /** What follows the length; not to be kept. */
  frame(payload: Buffer): void;
  /** All that arrived together has been passed on, or there is room again for what is to be sent. */
  turn(): void;
  closed(): void;
}

/** Where the server is, and how long one is tried that takes a connection and then says nothing. */
export interface Reach {
  readonly host: string;
  readonly patienceMs: number;
}

const HERE: Reach = { host: HOST, patienceMs: 500 };
const LENGTH_BYTES = 4;

export class Connection {
  readonly #socket: Socket;
  readonly #user: ConnectionUser;
  #open = false;
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    port: number,
    session: Credentials,
    lastZxidSeen: number,
    timeoutMs: number,
    user: ConnectionUser,
    { host, patienceMs }: Reach = HERE,
  ) {
    this.#user = user;
    const request = new JuteWriter().int(0).long(lastZxidSeen).int(timeoutMs).raw(session.id);
    const hello = request.buffer(session.password).bool(false).finish();
    this.#socket = connect({ port, host, noDelay: true }, () => this.write(framed(hello)));
    this.#socket.setTimeout(patienceMs, () => this.end());
    this.#socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on("drain", () => user.turn());
    this.#socket.on("error", () => this.end());
    this.#socket.on("close", () => user.closed());
  }

  write(bytes: Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** It takes no more for now; `turn` tells when it does again. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  end(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const length = bytes.readInt32BE(at);
      // Replies may exceed a request's limit by their headers, and nothing exceeds twice of it.
      if (length < 0 || length > 2 * MAX_FRAME) return this.end();
      const end = at + LENGTH_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + LENGTH_BYTES, end);
      if (this.#open) this.#user.frame(payload);
      else this.#shakenHands(payload);
      at = end;
    }
    this.#rest = bytes.subarray(at);
    this.#user.turn();
  }

  #shakenHands(payload: Buffer): void {
    this.#open = true;
    this.#socket.setTimeout(0);
    const reader = new JuteReader(payload);
    reader.int();
    const timeoutMs = reader.int();
    const id = payload.slice(8, 16);
    reader.long();
    const password = reader.buffer();
    const known = timeoutMs > 0 && password !== null && !reader.failed;
    this.#user.opened(known ? { id, password: Uint8Array.from(password) } : null, timeoutMs);
  }
}

export const framed = (payload: Uint8Array): Uint8Array =>
  new JuteWriter(LENGTH_BYTES + payload.length).buffer(payload).finish();
