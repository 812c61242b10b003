/**
 * Frames and the headers at their beginning.
 *
 *   frame         => length:i32 payload
 *   requestHeader => xid:i32 operation:i32
 *   replyHeader   => xid:i32 zxid:i64 error:i32      a body follows only when error is 0
 */

import { type JuteReader, JuteWriter } from "./jute.ts";

/** ZooKeeper's `jute.maxbuffer`: 1 MiB less one. A longer frame ends its connection. */
export const MAX_FRAME = 0xf_ffff;

export const framed = (payload: Uint8Array): Uint8Array =>
  new JuteWriter(4 + payload.length).buffer(payload).finish();

/** Numbers that stand for themselves where an ordinary request has the client's own counter. */
export const XID = { event: -1, ping: -2, auth: -4, setWatches: -8 } as const;

export interface RequestHeader {
  readonly xid: number;
  readonly operation: number;
}

export const writeRequestHeader = (writer: JuteWriter, { xid, operation }: RequestHeader): JuteWriter =>
  writer.int(xid).int(operation);

export const readRequestHeader = (reader: JuteReader): RequestHeader => ({
  xid: reader.int(),
  operation: reader.int(),
});

export interface ReplyHeader {
  readonly xid: number;
  /** The last transaction that the reply reflects; the client shows it when it connects anew. */
  readonly zxid: number;
  readonly error: number;
}

export const REPLY_HEADER_BYTES = 16;

export const writeReplyHeader = (writer: JuteWriter, { xid, zxid, error }: ReplyHeader): JuteWriter =>
  writer.int(xid).long(zxid).int(error);

export const readReplyHeader = (reader: JuteReader): ReplyHeader => ({
  xid: reader.int(),
  zxid: reader.long(),
  error: reader.int(),
});
