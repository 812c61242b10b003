/**
 * POLE's messages as bytes.
 *
 *   proposal => 0 round:u64 score candidate:u8
 *   vote     => 1 round:u64 leader:u8
 *   standing => 2 round:u64 score
 *   heir     => 3 round:u64 heir:u8
 */

import { unreachable } from "../../core/assert.ts";
import { serverId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import type { MessageCodec } from "../entry.ts";
import { readScore, writeScore } from "../score-codec.ts";
import type { PoleMessage } from "./message.ts";

const TYPE = { proposal: 0, vote: 1, standing: 2, heir: 3 } as const satisfies Record<
  PoleMessage["kind"],
  number
>;

export const poleCodec: MessageCodec<PoleMessage> = {
  write(message, writer) {
    writer.u8(TYPE[message.kind]).u64(message.round);
    switch (message.kind) {
      case "proposal":
        writeScore(writer, message.score);
        writer.u8(message.candidate);
        return;
      case "vote":
        writer.u8(message.leader);
        return;
      case "standing":
        writeScore(writer, message.score);
        return;
      case "heir":
        writer.u8(message.heir);
        return;
      default:
        unreachable(message);
    }
  },
  read(reader) {
    const type = reader.u8();
    const inRound = round(reader.u64());
    switch (type) {
      case TYPE.proposal: {
        const score = readScore(reader);
        return { kind: "proposal", round: inRound, score, candidate: reader.server() };
      }
      case TYPE.vote:
        return { kind: "vote", round: inRound, leader: reader.server() };
      case TYPE.standing:
        return { kind: "standing", round: inRound, score: readScore(reader) };
      case TYPE.heir:
        return { kind: "heir", round: inRound, heir: reader.server() };
      default:
        return null;
    }
  },
  examples: [
    { kind: "proposal", round: round(1), score: [1, 2], candidate: serverId(3) },
    { kind: "vote", round: round(1), leader: serverId(3) },
    { kind: "standing", round: round(1), score: [1, 2] },
    { kind: "heir", round: round(1), heir: serverId(3) },
  ],
};
