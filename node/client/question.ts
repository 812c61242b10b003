/**
 * A request as bytes, encoded once: only the number that names it changes from one sending to the next, and
 * where its value tells which request wrote it, that. So a load of a hundred thousand equal requests a second
 * encodes one of them.
 */

import type { Arena } from "../core/arena.ts";
import type { Instant } from "../core/time.ts";
import { XID } from "../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { OPERATIONS } from "../wire/client/operation.ts";
import { type ClientReply, type ClientRequest, readReply, writeRequest } from "../wire/client/request.ts";

export class Question {
  readonly request: ClientRequest;
  /** With its length in front, and a place for its xid. */
  readonly frame: Uint8Array;
  /** Where the number goes by which its user calls it; null: nowhere. */
  readonly idAt: number | null;
  /** The xid that stands for all of its kind; null where each request has one of its own. */
  readonly sign: number | null;

  /** The user's number for each sending goes to `idFromEnd` bytes before the end, as four bytes. */
  constructor(request: ClientRequest, idFromEnd: number | null = null) {
    this.request = request;
    const writer = new JuteWriter(256).int(0).int(0).int(OPERATIONS[request.kind]);
    const frame = writeRequest(writer, request).finish();
    putInt(frame, 0, frame.length - LENGTH_BYTES);
    this.frame = frame;
    this.sign = signOf(request.kind);
    this.idAt = idFromEnd === null ? null : frame.length - idFromEnd;
  }

  /** It changes nothing, so that asking it again is no other question. */
  get isRead(): boolean {
    return READS.has(this.request.kind);
  }
}

function signOf(kind: ClientRequest["kind"]): number | null {
  switch (kind) {
    case "ping":
      return XID.ping;
    case "auth":
      return XID.auth;
    case "setWatches":
    case "setWatches2":
      return XID.setWatches;
    default:
      return null;
  }
}

const READS: ReadonlySet<ClientRequest["kind"]> = new Set([
  "exists",
  "getData",
  "getAcl",
  "getChildren",
  "getChildren2",
  "getAllChildrenNumber",
  "getEphemerals",
  "multiRead",
  "sync",
  "whoAmI",
]);

/** A question on its way: who asked it, as what, and since when. */
export interface Asked<Tag> {
  readonly question: Question;
  /** Whatever its user wants to have back with the answer. */
  readonly tag: Tag;
  readonly id: number;
  /** When it went out last. */
  sent: Instant;
  /** To which server, as its place in the list. */
  server: number;
  xid: number;
}

type Numbered = Pick<Asked<unknown>, "question" | "id" | "xid">;

/** All of them as one piece of bytes, each with its xid and its id. */
export function packed(asked: readonly Numbered[], arena: Arena): Uint8Array {
  let size = 0;
  for (const { question } of asked) size += question.frame.length;
  const bytes = arena.room(size);
  let at = 0;
  for (const { question, id, xid } of asked) {
    const { frame, idAt } = question;
    bytes.set(frame, at);
    putInt(bytes, at + LENGTH_BYTES, xid);
    if (idAt !== null) putInt(bytes, at + idAt, id);
    at += frame.length;
  }
  return bytes;
}

/** What an answer says beside its error; null when it is no reply of its kind, or something follows it. */
export function replyTo({ request }: Question, frame: Uint8Array): ClientReply | null {
  const reader = new JuteReader(frame, REPLY_AT);
  const reply = readReply(request.kind, reader);
  return reader.failed || reader.left > 0 ? null : reply;
}

export function intAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

function putInt(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

const LENGTH_BYTES = 4;
/** Behind xid, zxid and error. */
const REPLY_AT = 16;
