/**
 * The messages of servers that announce themselves as bytes.
 *
 *   claim => 0 round:u64 epoch:u32 key count:u8 key*
 *   worth => 1 key
 *   key   => score server:u8
 */

import { serverId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import { epoch, NO_EPOCH } from "../../core/zxid.ts";
import type { MessageCodec } from "../entry.ts";
import type { Key } from "../key.ts";
import { readKey, readKeys, writeKey, writeKeys } from "../key-codec.ts";
import type { LeMessage } from "./message.ts";

const TYPE = { claim: 0, worth: 1 } as const satisfies Record<LeMessage["kind"], number>;

export const leCodec: MessageCodec<LeMessage> = {
  write(message, writer) {
    writer.u8(TYPE[message.kind]);
    if (message.kind === "worth") {
      writeKey(writer, message.key);
      return;
    }
    writer.u64(message.round).u32(message.epoch);
    writeKey(writer, message.key);
    writeKeys(writer, message.keys);
  },
  read(reader) {
    const type = reader.u8();
    if (type === TYPE.worth) return { kind: "worth", key: readKey(reader) };
    if (type !== TYPE.claim) return null;
    const [inRound, inEpoch, key] = [round(reader.u64()), reader.epoch(), readKey(reader)];
    return { kind: "claim", round: inRound, epoch: inEpoch, key, keys: readKeys(reader) };
  },
  examples: [
    { kind: "claim", round: round(1), epoch: NO_EPOCH, key: keyOf(3, 1, -2.5), keys: [] },
    { kind: "claim", round: round(2 ** 40), epoch: epoch(7), key: keyOf(2), keys: [keyOf(1, 4), keyOf(3)] },
    { kind: "worth", key: keyOf(3, 1) },
  ],
};

function keyOf(server: number, ...score: readonly number[]): Key {
  return { score, server: serverId(server) };
}
