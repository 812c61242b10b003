/** The frames that a server sends: a length, then what it says. */

import { REPLY_HEADER_BYTES, writeReplyHeader, XID } from "../wire/client/header.ts";
import { JuteWriter } from "../wire/client/jute.ts";
import { CONNECTED, writeWatchEvent } from "../wire/client/watch.ts";

/** `result` is an error, and after 0 the body. */
export function replyFrame(xid: number, zxid: number, result: Uint8Array): Uint8Array {
  const size = REPLY_HEADER_BYTES - 4 + result.length;
  return new JuteWriter(4 + size).int(size).int(xid).long(zxid).raw(result).finish();
}

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
