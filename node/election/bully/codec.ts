/**
 * Bully's messages as bytes.
 *
 *   election    => 0 round:u64 score server:u8
 *   ok          => 1 round:u64
 *   yield       => 2 round:u64
 *   coordinator => 3 round:u64
 *   vote        => 4 round:u64 leader:u8
 *   whom        => 5 round:u64
 */

import { unreachable } from "../../core/assert.ts";
import { serverId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import type { MessageCodec } from "../entry.ts";
import { readKey, writeKey } from "../key-codec.ts";
import type { BullySays } from "./message.ts";

const TYPE = { election: 0, ok: 1, yield: 2, coordinator: 3, vote: 4, whom: 5 } as const satisfies Record<
  BullySays["kind"],
  number
>;

export const bullyCodec: MessageCodec<BullySays> = {
  write(message, writer) {
    writer.u8(TYPE[message.kind]).u64(message.round);
    switch (message.kind) {
      case "election":
        writeKey(writer, message.key);
        return;
      case "vote":
        writer.u8(message.leader);
        return;
      case "ok":
      case "yield":
      case "coordinator":
      case "whom":
        return;
      default:
        unreachable(message);
    }
  },
  read(reader) {
    const type = reader.u8();
    const inRound = round(reader.u64());
    switch (type) {
      case TYPE.election:
        return { kind: "election", round: inRound, key: readKey(reader) };
      case TYPE.ok:
        return { kind: "ok", round: inRound };
      case TYPE.yield:
        return { kind: "yield", round: inRound };
      case TYPE.coordinator:
        return { kind: "coordinator", round: inRound };
      case TYPE.vote:
        return { kind: "vote", round: inRound, leader: reader.server() };
      case TYPE.whom:
        return { kind: "whom", round: inRound };
      default:
        return null;
    }
  },
  examples: [
    { kind: "election", round: round(1), key: { score: [1, -2.5], server: serverId(3) } },
    { kind: "election", round: round(2), key: { score: [], server: serverId(3) } },
    { kind: "ok", round: round(1) },
    { kind: "yield", round: round(1) },
    { kind: "coordinator", round: round(2 ** 40) },
    { kind: "vote", round: round(1), leader: serverId(3) },
    { kind: "whom", round: round(1) },
  ],
};
