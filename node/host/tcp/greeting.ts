/**
 * The first frame in each direction of every connection between servers. It keeps two ensembles, two
 * versions, or a mistyped address from being taken for each other, and tells which two connections belong
 * together.
 *
 *   greeting => length:u32 1 magic:u32 version:u16 from:u8 to:u8
 *               bulk:flag life:u32 attempt:u32 cluster:string
 *   refusal  => length:u32 2 reason:string
 *
 * Type 3 is kept for proof of who is speaking (a challenge and its answer, between the greeting and its
 * reply).
 */

import type { ServerId } from "../../core/identity.ts";
import type { Channel } from "../../replica/message.ts";
import { Reader } from "../../wire/reader.ts";
import { type Result, read, refused } from "../../wire/result.ts";
import { Writer } from "../../wire/writer.ts";

const MAGIC = 0x706f6c65;
const VERSION = 1;
/** A cluster name of hundreds of bytes is a mistake, or somebody who does not speak this protocol. */
export const LONGEST_GREETING = 1024;

export interface Greeting {
  readonly from: ServerId;
  readonly to: ServerId;
  readonly channel: Channel;
  /** Of the server that dials, as `attempt` is: the same in both directions. */
  readonly life: number;
  /** Counts the dialer's tries: the two connections of one try belong together. */
  readonly attempt: number;
  readonly cluster: string;
}

export function encodeGreeting({ from, to, channel, life, attempt, cluster }: Greeting): Uint8Array {
  const writer = new Writer().u32(0).u8(1).u32(MAGIC).u16(VERSION).u8(from).u8(to);
  writer
    .u8(channel === "control" ? 0 : 1)
    .u32(life)
    .u32(attempt)
    .string(cluster);
  return writer.patchU32(0, writer.length - 4).copy();
}

export function encodeRefusal(reason: string): Uint8Array {
  const writer = new Writer().u32(0).u8(2).string(reason);
  return writer.patchU32(0, writer.length - 4).copy();
}

/** Reads what follows the length. */
export function decodeGreeting(body: Uint8Array): Result<Greeting> {
  const reader = new Reader(body);
  const type = reader.u8();
  if (type === 2) {
    const reason = reader.string();
    return refused(reader.finish() ? `the other side says: ${reason}` : "an unreadable refusal");
  }
  if (type !== 1 || reader.u32() !== MAGIC) return refused("not a server of this kind");
  const version = reader.u16();
  if (version !== VERSION) return refused(`version ${version} of the protocol, here it is ${VERSION}`);
  const from = reader.server();
  const to = reader.server();
  const channel = reader.flag() ? "bulk" : "control";
  const greeting: Greeting = {
    from,
    to,
    channel,
    life: reader.u32(),
    attempt: reader.u32(),
    cluster: reader.string(),
  };
  return reader.finish() ? read(greeting) : refused(reader.failure ?? "");
}
