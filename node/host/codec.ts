/**
 * How a host turns one protocol's messages into bytes; each host frames, sends and receives what this gives
 * it.
 */

import type { Protocol } from "../core/automaton.ts";
import type { Channel } from "../replica/message.ts";
import type { Result } from "../wire/result.ts";

export interface Codec<P extends Protocol> {
  /** One whole frame (`length:u32` and what it counts), never changed afterwards. */
  encode(message: P["message"]): Uint8Array;
  /** Reads one whole frame; the message may refer to parts of it. */
  decode(frame: Uint8Array): Result<P["message"]>;
  channel(message: P["message"]): Channel;
}
