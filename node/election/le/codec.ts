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
import type { Reader } from "../../wire/reader.ts";
import type { Writer } from "../../wire/writer.ts";
import type { MessageCodec } from "../entry.ts";
import type { Key } from "../key.ts";
import { readScore, writeScore } from "../score-codec.ts";
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
    writer.u8(message.keys.length);
    for (const key of message.keys) writeKey(writer, key);
  },
  read(reader) {
    const type = reader.u8();
    if (type === TYPE.worth) return { kind: "worth", key: readKey(reader) };
    if (type !== TYPE.claim) return null;
    const [inRound, inEpoch, key] = [round(reader.u64()), reader.epoch(), readKey(reader)];
    const keys: Key[] = [];
    for (let left = reader.u8(); left > 0 && reader.failure === null; left--) keys.push(readKey(reader));
    return { kind: "claim", round: inRound, epoch: inEpoch, key, keys };
  },
  examples: [
    { kind: "claim", round: round(1), epoch: NO_EPOCH, key: keyOf(3, 1, -2.5), keys: [] },
    { kind: "claim", round: round(2 ** 40), epoch: epoch(7), key: keyOf(2), keys: [keyOf(1, 4), keyOf(3)] },
    { kind: "worth", key: keyOf(3, 1) },
  ],
};

function writeKey(writer: Writer, { score, server }: Key): void {
  writeScore(writer, score);
  writer.u8(server);
}

function readKey(reader: Reader): Key {
  const score = readScore(reader);
  return { score, server: reader.server() };
}

function keyOf(server: number, ...score: readonly number[]): Key {
  return { score, server: serverId(server) };
}
