/**
 * Elections.
 *
 *   proposal => 0x10 round:u64 score candidate:u8
 *   vote     => 0x11 round:u64 leader:u8
 *
 *   score    => count:u8 value:f64*
 */

import { unreachable } from "../core/assert.ts";
import { round, type Score } from "../core/score.ts";
import type { ElectionMessage } from "../election/election.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

const TYPE = { proposal: 0x10, vote: 0x11 } as const satisfies Record<ElectionMessage["kind"], number>;

export function writeElection(writer: Writer, message: ElectionMessage): void {
  writer.u8(TYPE[message.kind]).u64(message.round);
  switch (message.kind) {
    case "proposal":
      writeScore(writer, message.score);
      writer.u8(message.candidate);
      return;
    case "vote":
      writer.u8(message.leader);
      return;
    default:
      unreachable(message);
  }
}

/** Null when the type is none of elections. */
export function readElection(type: number, reader: Reader): ElectionMessage | null {
  switch (type) {
    case TYPE.proposal: {
      const inRound = round(reader.u64());
      const score = readScore(reader);
      return { kind: "proposal", round: inRound, score, candidate: reader.server() };
    }
    case TYPE.vote: {
      const inRound = round(reader.u64());
      return { kind: "vote", round: inRound, leader: reader.server() };
    }
    default:
      return null;
  }
}

function writeScore(writer: Writer, score: Score): void {
  writer.u8(score.length);
  for (const value of score) writer.f64(value);
}

function readScore(reader: Reader): Score {
  const score: number[] = [];
  for (let left = reader.u8(); left > 0 && reader.failure === null; left--) score.push(reader.f64());
  return score;
}
