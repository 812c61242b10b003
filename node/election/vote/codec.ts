/**
 * The messages of a vote as bytes.
 *
 *   ask    => 0 round:u64 key
 *   grant  => 1 round:u64 key
 *   late   => 2 round:u64
 *   master => 3 round:u64 count:u8 key*
 *   vote   => 4 round:u64 leader:u8
 *   whom   => 5 round:u64
 *   renew  => 6 round:u64 renewal:u32
 *   kept   => 7 round:u64 renewal:u32
 *   standing => 8 round:u64 key
 *   key    => score server:u8
 */

import { unreachable } from "../../core/assert.ts";
import { serverId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import type { MessageCodec } from "../entry.ts";
import { readKey, readKeys, writeKey, writeKeys } from "../key-codec.ts";
import type { MajoritySays } from "./message.ts";

const TYPE = {
  ask: 0,
  grant: 1,
  late: 2,
  master: 3,
  vote: 4,
  whom: 5,
  renew: 6,
  kept: 7,
  standing: 8,
} as const satisfies Record<MajoritySays["kind"], number>;

export const voteCodec: MessageCodec<MajoritySays> = {
  write(message, writer) {
    writer.u8(TYPE[message.kind]).u64(message.round);
    switch (message.kind) {
      case "ask":
      case "grant":
      case "standing":
        writeKey(writer, message.key);
        return;
      case "master":
        writeKeys(writer, message.keys);
        return;
      case "vote":
        writer.u8(message.leader);
        return;
      case "renew":
      case "kept":
        writer.u32(message.renewal);
        return;
      case "late":
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
      case TYPE.ask:
      case TYPE.grant:
        return { kind: type === TYPE.ask ? "ask" : "grant", round: inRound, key: readKey(reader) };
      case TYPE.standing:
        return { kind: "standing", round: inRound, key: readKey(reader) };
      case TYPE.late:
        return { kind: "late", round: inRound };
      case TYPE.master:
        return { kind: "master", round: inRound, keys: readKeys(reader) };
      case TYPE.vote:
        return { kind: "vote", round: inRound, leader: reader.server() };
      case TYPE.renew:
      case TYPE.kept:
        return { kind: type === TYPE.renew ? "renew" : "kept", round: inRound, renewal: reader.u32() };
      case TYPE.whom:
        return { kind: "whom", round: inRound };
      default:
        return null;
    }
  },
  examples: [
    { kind: "ask", round: round(1), key: { score: [1, -2.5], server: serverId(3) } },
    { kind: "grant", round: round(2), key: { score: [7], server: serverId(3) } },
    { kind: "late", round: round(3) },
    { kind: "master", round: round(2 ** 40), keys: [{ score: [0.5], server: serverId(1) }] },
    { kind: "vote", round: round(1), leader: serverId(3) },
    { kind: "whom", round: round(1) },
    { kind: "renew", round: round(3), renewal: 1 },
    { kind: "kept", round: round(3), renewal: 2 ** 31 },
    { kind: "standing", round: round(3), key: { score: [40.5], server: serverId(3) } },
  ],
};
