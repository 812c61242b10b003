/**
 * What a transaction of this service carries: who asks, and the request as the client wrote it.
 *
 *   payload => operation:i32 session:i64 xid:i32 options:u8 ids:(vector of id) request
 *   result  => error:i32 reply?                        just what a reply frame has after xid and zxid
 *
 * The ids say who the client is: its address, and what it has proved since. The options are those of the
 * server that took the request, and travel with it, so that servers configured differently for a while still
 * do the same.
 */

import type { Pieces } from "../core/pieces.ts";
import { LARGEST_SLOT } from "./data-store.ts";
import { writeStat } from "../wire/client/stat.ts";
import { Arena } from "../core/arena.ts";
import { type Id, readId, writeId } from "../wire/client/acl.ts";
import { JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { OPERATIONS, type Operation, operationOf } from "../wire/client/operation.ts";
import { type ClientReply, type ClientRequest, writeReply, writeRequest } from "../wire/client/request.ts";

export interface Options {
  /** Znodes with a time to live may be made. */
  readonly extendedTypes: boolean;
  /** Hard limits of quotas hold. */
  readonly enforceQuota: boolean;
  /** No ACL grows beyond `ACL_BOUNDS`. What was logged before there was a bound does what it did then. */
  readonly boundedAcls: boolean;
  /** Answers as ZooKeeper 3.8.0 does where later releases answer otherwise. */
  readonly asIn380: boolean;
}

export interface Caller {
  /** 0 before it has one, and when a server speaks for itself. */
  readonly session: number;
  readonly xid: number;
  readonly ids: readonly Id[];
  readonly options: Options;
}

export const DEFAULTS: Options = {
  extendedTypes: false,
  enforceQuota: false,
  boundedAcls: true,
  asIn380: false,
};

export interface Payload {
  readonly operation: Operation;
  readonly caller: Caller;
  /** Where the request begins. */
  readonly request: JuteReader;
}

export function writePayload(operation: Operation, caller: Caller, request: Uint8Array): Uint8Array {
  const { session, xid, ids, options } = caller;
  const size = HEAD_BYTES + ids.reduce((sum, { scheme, id }) => sum + 8 + scheme.length + id.length, 0);
  const writer = new JuteWriter(payloads.room(size + request.length));
  writer.int(OPERATIONS[operation]).long(session).int(xid);
  const { extendedTypes, enforceQuota, boundedAcls, asIn380 } = options;
  writer.byte((extendedTypes ? 1 : 0) | (enforceQuota ? 2 : 0) | (boundedAcls ? 4 : 0) | (asIn380 ? 8 : 0));
  return writer.vector(ids, writeId).raw(request).finish();
}

/** The same, of a request that is not bytes yet. */
export const payloadOf = (request: ClientRequest, caller: Caller): Uint8Array =>
  writePayload(request.kind, caller, writeRequest(new JuteWriter(), request).finish());

/** Null when the bytes are no payload: then no server wrote them. */
export function readPayload(bytes: Uint8Array): Payload | null {
  const request = new JuteReader(bytes);
  const operation = operationOf(request.int());
  const [session, xid, options] = [request.long(), request.int(), request.byte()];
  const ids = request.vector(readId);
  if (request.failed || operation === undefined) return null;
  const caller = {
    session,
    xid,
    ids,
    options: {
      extendedTypes: (options & 1) !== 0,
      enforceQuota: (options & 2) !== 0,
      boundedAcls: (options & 4) !== 0,
      asIn380: (options & 8) !== 0,
    },
  };
  return { operation, caller, request };
}

export interface Failure {
  readonly kind: "error";
  readonly error: number;
}

export type Outcome = ClientReply | Failure;

export function writeResult(outcome: Outcome): Uint8Array {
  if (outcome.kind === "error") return new JuteWriter(4).int(outcome.error).finish();
  const size = outcome.kind === "getData" ? 76 + (outcome.data?.length ?? 0) : 72;
  return writeReply(new JuteWriter(results.room(size)).int(0), outcome).finish();
}

/** Data of its own array stands in the answer as it is: it is replaced, and never changed. */
export function piecesOf(outcome: Outcome): Pieces {
  if (outcome.kind !== "getData" || outcome.data === null || outcome.data.length <= LARGEST_SLOT)
    return [writeResult(outcome)];
  const { data, stat } = outcome;
  const head = new JuteWriter(results.room(8)).int(0).int(data.length).finish();
  return [head, data, writeStat(new JuteWriter(results.room(STAT_BYTES)), stat).finish()];
}

const STAT_BYTES = 68;
/** Before the identities, with their number. */
const HEAD_BYTES = 21;
/** They stay together in the history, and leave it in the same order. */
const payloads = new Arena();
/** Every server makes the results of all writes, and most need only be made, to be the same everywhere. */
const results = new Arena();
