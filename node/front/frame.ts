/** The frames that a server sends: a length, then what it says. */

import { assert } from "../core/assert.ts";
import { lengthOf, type Pieces } from "../core/pieces.ts";
import { REPLY_HEADER_BYTES, writeReplyHeader, XID } from "../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { CONNECTED, writeWatchEvent } from "../wire/client/watch.ts";

/** `result` is an error, and after 0 the body. Only its first piece is copied. */
export function replyFrame(xid: number, zxid: number, [first, ...rest]: Pieces): Pieces {
  assert(first !== undefined, "a result without an error");
  const head = REPLY_HEADER_BYTES - 4 + first.length;
  const size = head + lengthOf(rest);
  return [new JuteWriter(4 + head).int(size).int(xid).long(zxid).raw(first).finish(), ...rest];
}

/** 0 when all went well, or when nothing is told about it. */
export const errorOf = ([head = NOTHING]: Pieces): number => new JuteReader(head).int();

/** One change is told to all who watch it in the same bytes. */
export class EventFrames {
  #last = { type: 0, path: "", frame: new Uint8Array(0) as Uint8Array };

  of(type: number, path: string): Uint8Array {
    const last = this.#last;
    if (last.type === type && last.path === path) return last.frame;
    const frame = eventFrame(type, path);
    this.#last = { type, path, frame };
    return frame;
  }
}

/** An event carries no zxid, as in 3.8. */
function eventFrame(type: number, path: string): Uint8Array {
  const writer = new JuteWriter(64 + path.length);
  writeReplyHeader(writer, { xid: XID.event, zxid: -1, error: 0 });
  return frameOf(writeWatchEvent(writer, { type, state: CONNECTED, path }).finish());
}

export const frameOf = (payload: Uint8Array): Uint8Array =>
  new JuteWriter(4 + payload.length).int(payload.length).raw(payload).finish();

const NOTHING = new Uint8Array(0);
