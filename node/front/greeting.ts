/**
 * How a connection gets its session.
 *
 * A new session is a transaction, and so is bringing an old one to this server: a session that is resumed
 * here has been seen alive by a quorum, and its former server knows that it has left. The transaction carries
 * the seal of the password that was shown, and is refused unless it is the session's: a server that has not
 * heard of the session yet can take part, too. One that has looks first. ZooKeeper closes the session's
 * present connection before it looks, which lets anybody who guesses an id disconnect its owner.
 */

import { joined, type Pieces } from "../core/pieces.ts";
import type { ServerId } from "../core/identity.ts";
import { toMilliseconds } from "../core/time.ts";
import { ERRORS } from "../wire/client/error.ts";
import {
  type ConnectRequest,
  type ConnectResponse,
  readConnectRequest,
  rejection,
  writeConnectResponse,
} from "../wire/client/handshake.ts";
import { JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { readSessionOpened } from "../wire/client/session.ts";
import type { Secrets } from "./credentials.ts";
import { frameOf } from "./frame.ts";
import type { FrontMode, FrontOptions } from "./front-protocol.ts";
import { type Caller, payloadOf } from "../tree/payload.ts";
import type { Sessions } from "../tree/sessions.ts";

export type Greeting =
  | {
      readonly kind: "session";
      /** With the password that its client will have. */
      readonly request: ConnectRequest;
      readonly transaction: (timeoutMs: number, caller: Caller) => Uint8Array;
    }
  | {
      readonly kind: "readOnly";
      readonly request: ConnectRequest;
      readonly response: (session: number, timeoutMs: number) => Uint8Array;
    }
  | { readonly kind: "refused"; readonly response: Uint8Array | null; readonly reason: string };

export function greet(frame: Uint8Array, secrets: Secrets, sessions: Sessions, mode: FrontMode): Greeting {
  const reader = new JuteReader(frame);
  const request = readConnectRequest(reader);
  if (reader.failed) return { kind: "refused", response: null, reason: "it did not begin with a handshake" };
  if (mode === "shut") return { kind: "refused", response: null, reason: "the server is cut off" };
  const { session } = request;
  const password = session === 0 ? secrets.password() : request.password;
  const seal = secrets.seal(password);
  // An id beyond 2^53 was never given to anybody, and could not be written down exactly.
  const isNone = !Number.isSafeInteger(session);
  if (isNone || (sessions.get(session)?.seal ?? seal) !== seal) {
    return {
      kind: "refused",
      response: encode(rejection(request)),
      reason: "the password of its session is wrong",
    };
  }
  const granted = { ...request, password };
  if (mode === "readOnly") return greetReadOnly(granted);
  const transaction = (timeoutMs: number, caller: Caller): Uint8Array =>
    payloadOf({ kind: "createSession", timeoutMs, seal }, caller);
  return { kind: "session", request: granted, transaction };
}

/** The response to a client whose transaction was executed; `session` is null when it was refused one. */
export function welcome(
  request: ConnectRequest,
  result: Pieces,
): { readonly response: Uint8Array; readonly session: number | null } {
  const reader = new JuteReader(joined(result));
  if (reader.int() !== ERRORS.ok) return { response: encode(rejection(request)), session: null };
  const { session, timeoutMs } = readSessionOpened(reader);
  const readOnly = request.readOnly === null ? null : false;
  return { response: encode({ timeoutMs, session, password: request.password, readOnly }), session };
}

/** What a client asks for, within what is allowed, in whole milliseconds. */
export function timeoutOf({ timeoutMs }: ConnectRequest, { least, most }: FrontOptions["timeouts"]): number {
  return Math.floor(Math.min(Math.max(timeoutMs, toMilliseconds(least)), toMilliseconds(most)));
}

function greetReadOnly(request: ConnectRequest): Greeting {
  if (request.readOnly !== true) {
    return { kind: "refused", response: null, reason: "the server is read-only, and its client is not" };
  }
  const response = (session: number, timeoutMs: number): Uint8Array =>
    encode({ timeoutMs, session, password: request.password, readOnly: true });
  return { kind: "readOnly", request, response };
}

/**
 * For one that has none and can have none without a quorum. Nobody else knows of it: every session that does
 * exist is named by a zxid, and those begin in epoch 1, above all that this may be.
 */
export const localSession = (self: ServerId, count: number): number =>
  self * LOCAL_SESSIONS + (count % LOCAL_SESSIONS);

const encode = (response: ConnectResponse): Uint8Array =>
  frameOf(writeConnectResponse(new JuteWriter(41), response).finish());

/** Of one server. */
const LOCAL_SESSIONS = 2 ** 24;
