/**
 * The first frame in each direction.
 *
 *   connectRequest  => version:i32 lastZxidSeen:i64 timeout:i32 session:i64 password:buffer readOnly:bool?
 *   connectResponse => version:i32 timeout:i32 session:i64 password:buffer readOnly:bool?
 *
 * Clients up to 3.3 send no `readOnly` (44 bytes instead of 45) and must not be answered with one (36 instead
 * of 37). libzookeeper reads the response at fixed offsets, so a password has 16 bytes, always.
 */

import type { JuteReader, JuteWriter } from "./jute.ts";

export const PASSWORD_BYTES = 16;

export interface ConnectRequest {
  readonly lastZxidSeen: number;
  readonly timeoutMs: number;
  /** 0 asks for a new session. */
  readonly session: number;
  readonly password: Uint8Array;
  /** Null from a client so old that it does not know of read-only servers. */
  readonly readOnly: boolean | null;
}

export function writeConnectRequest(writer: JuteWriter, request: ConnectRequest): JuteWriter {
  writer
    .int(0)
    .long(request.lastZxidSeen)
    .int(request.timeoutMs)
    .long(request.session)
    .buffer(request.password);
  if (request.readOnly !== null) writer.bool(request.readOnly);
  return writer;
}

export function readConnectRequest(reader: JuteReader): ConnectRequest {
  reader.int();
  return {
    lastZxidSeen: reader.long(),
    timeoutMs: reader.int(),
    session: reader.long(),
    password: reader.buffer() ?? NO_PASSWORD,
    readOnly: reader.left > 0 ? reader.bool() : null,
  };
}

export interface ConnectResponse {
  readonly timeoutMs: number;
  readonly session: number;
  readonly password: Uint8Array;
  readonly readOnly: boolean | null;
}

/**
 * There is no such session (any more). Clients tell in different ways: Java and kazoo by the timeout, go-zk
 * by the session, C by a session that is not its own; so all three are 0.
 */
export const rejection = (request: ConnectRequest): ConnectResponse => ({
  timeoutMs: 0,
  session: 0,
  password: new Uint8Array(PASSWORD_BYTES),
  readOnly: request.readOnly === null ? null : false,
});

export function writeConnectResponse(writer: JuteWriter, response: ConnectResponse): JuteWriter {
  writer.int(0).int(response.timeoutMs).long(response.session).buffer(response.password);
  if (response.readOnly !== null) writer.bool(response.readOnly);
  return writer;
}

export function readConnectResponse(reader: JuteReader): ConnectResponse {
  reader.int();
  return {
    timeoutMs: reader.int(),
    session: reader.long(),
    password: reader.buffer() ?? NO_PASSWORD,
    readOnly: reader.left > 0 ? reader.bool() : null,
  };
}

/** A session as its client keeps it. Its id stays bytes: Apache ZooKeeper's have all 64 bits. */
export interface Credentials {
  readonly id: Uint8Array;
  readonly password: Uint8Array;
}

/** Whoever shows it asks for a new session. */
export const NO_SESSION: Credentials = { id: new Uint8Array(8), password: new Uint8Array(PASSWORD_BYTES) };

/** The request as a client writes it. */
export function writeHello(
  writer: JuteWriter,
  session: Credentials,
  { lastZxidSeen, timeoutMs, readOnly }: Pick<ConnectRequest, "lastZxidSeen" | "timeoutMs" | "readOnly">,
): JuteWriter {
  writer.int(0).long(lastZxidSeen).int(timeoutMs).raw(session.id).buffer(session.password);
  if (readOnly !== null) writer.bool(readOnly);
  return writer;
}

/** The response as a client reads it; null when the server knows of no such session any more. */
export interface Welcome {
  readonly session: Credentials | null;
  readonly timeoutMs: number;
  readonly readOnly: boolean;
}

export function readWelcome(reader: JuteReader): Welcome {
  reader.int();
  const timeoutMs = reader.int();
  const id = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0], () => reader.byte());
  const password = reader.buffer();
  const readOnly = reader.left > 0 && reader.bool();
  const isKnown = timeoutMs > 0 && password !== null;
  return { session: isKnown ? { id, password: password.slice() } : null, timeoutMs, readOnly };
}

const NO_PASSWORD = new Uint8Array(0);
