/**
 * What servers of a ring say to elect: tokens that go round, who was elected, and that a round is over.
 *
 * A token carries the key that it stands for and collects whom it passed, so that who gets its own back knows
 * whether a quorum takes part. `elected` goes round as the announcement; told aside it is a vote.
 */

import { unreachable } from "../../core/assert.ts";
import { type ServerId, serverId } from "../../core/identity.ts";
import { type Round, round } from "../../core/score.ts";
import type { Reader } from "../../wire/reader.ts";
import type { Writer } from "../../wire/writer.ts";
import type { MessageCodec } from "../entry.ts";
import type { Key } from "../key.ts";
import { readKey, writeKey } from "../key-codec.ts";
import type { Vote } from "../vote.ts";
import type { Rules } from "./contest-rules.ts";
import type { Way } from "./ring.ts";

export interface Token {
  /** Whom it stands for. */
  readonly key: Key;
  /** How many servers it has reached, the next one included. */
  readonly hops: number;
  /** Who took part in its round and let it pass. */
  readonly met: readonly ServerId[];
}

export type ContestMessage<T extends Token = Token> =
  | { readonly kind: "token"; readonly round: Round; readonly token: T }
  | ElectedMessage
  /** Answers a token of an earlier round: this one is under way. */
  | { readonly kind: "round"; readonly round: Round };

export interface ElectedMessage extends Vote {
  readonly kind: "elected";
  readonly hops: number;
}

/** As it goes on from `self`. */
export const stamped = <T extends Token>(token: T, self: ServerId): T => ({
  ...token,
  hops: token.hops + 1,
  met: token.met.includes(self) ? token.met : [...token.met, self],
});

/** What makes it a message that no server of this ensemble would send, or null. */
export function flawOf<T extends Token>(
  message: ContestMessage<T>,
  way: Way,
  servers: readonly ServerId[],
  { flawOf: flawOfToken }: Pick<Rules<T, unknown>, "flawOf">,
): string | null {
  const named =
    message.kind === "token"
      ? [message.token.key.server, ...message.token.met]
      : message.kind === "elected"
        ? [message.leader]
        : [];
  const stranger = named.find((server) => !servers.includes(server));
  if (stranger !== undefined)
    return `its ${message.kind} names server ${stranger}, which is not of the ensemble`;
  if (message.kind === "elected") return way === "back" ? "its announcement goes the wrong way round" : null;
  if (message.kind === "round") return way === "aside" ? null : "its answer goes round the ring";
  if (message.token.key.score.some(Number.isNaN)) return "its token has a score that is not a number";
  return flawOfToken(message.token, way);
}

const TYPE = { token: 0, elected: 1, round: 2 } as const satisfies Record<ContestMessage["kind"], number>;

/**
 *   token   => 0 round:u64 score owner:u8 hops:u8 count:u8 met:u8* ...
 *   elected => 1 round:u64 leader:u8 hops:u8
 *   round   => 2 round:u64
 *
 * `more` is what an election's tokens have besides.
 */
export const contestCodec = <More extends object>(
  more: MessageCodec<More>,
): MessageCodec<ContestMessage<Token & More>> => ({
  write(message, writer) {
    writer.u8(TYPE[message.kind]).u64(message.round);
    switch (message.kind) {
      case "token":
        writeToken(message.token, writer);
        more.write(message.token, writer);
        return;
      case "elected":
        writer.u8(message.leader).u8(message.hops);
        return;
      case "round":
        return;
      default:
        unreachable(message);
    }
  },
  read(reader) {
    const type = reader.u8();
    const inRound = round(reader.u64());
    switch (type) {
      case TYPE.token: {
        const token = readToken(reader);
        const rest = more.read(reader);
        return rest && { kind: "token", round: inRound, token: { ...token, ...rest } };
      }
      case TYPE.elected:
        return { kind: "elected", round: inRound, leader: reader.server(), hops: reader.u8() };
      case TYPE.round:
        return { kind: "round", round: inRound };
      default:
        return null;
    }
  },
  examples: [
    ...more.examples.map((rest): ContestMessage<Token & More> => {
      return { kind: "token", round: round(3), token: { ...EXAMPLE, ...rest } };
    }),
    { kind: "elected", round: round(2 ** 40), leader: serverId(3), hops: 1 },
    { kind: "round", round: round(4) },
  ],
});

const EXAMPLE: Token = {
  key: { score: [1.5, -2], server: serverId(2) },
  hops: 2,
  met: [serverId(3), serverId(1)],
};

function writeToken({ key, hops, met }: Token, writer: Writer): void {
  writeKey(writer, key);
  writer.u8(hops).u8(met.length);
  for (const server of met) writer.u8(server);
}

function readToken(reader: Reader): Token {
  const key = readKey(reader);
  const hops = reader.u8();
  const met: ServerId[] = [];
  for (let left = reader.u8(); left > 0 && reader.failure === null; left--) met.push(reader.server());
  return { key, hops, met };
}
