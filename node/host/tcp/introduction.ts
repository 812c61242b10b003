/**
 * The first frames of every connection between servers. They keep two ensembles, two versions, or a mistyped
 * address from being taken for each other, tell which two connections belong together, and, where the
 * ensemble has a secret, prove on both sides that the other knows it (`proof.ts`).
 *
 *   greeting => length:u32 1 magic:u32 version:u16 from:u8 to:u8
 *               bulk:flag life:u32 attempt:u32 cluster:string challenge:blob proof:blob
 *   refusal  => length:u32 2 reason:string
 *   proof    => length:u32 3 proof:blob                      blob => length:u8 bytes
 *
 * The one who dials greets, the other greets back with a proof, and with a secret the dialer ends with its
 * own. So proof costs the dialer nothing, and the other side one way more until it hears the first frame.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Channel } from "../../replica/message.ts";
import { Reader } from "../../wire/reader.ts";
import { type Result, read, refused } from "../../wire/result.ts";
import { Writer } from "../../wire/writer.ts";

const MAGIC = 0x706f6c65;
const VERSION = 4;
/** A cluster name of hundreds of bytes is a mistake, or somebody who does not speak this protocol. */
export const LONGEST_GREETING = 1024;

export const NOTHING = new Uint8Array(0);

export interface Introduction {
  readonly from: ServerId;
  readonly to: ServerId;
  readonly channel: Channel;
  /** Of the server that dials, as `attempt` is: the same in both directions. */
  readonly life: number;
  /** Counts the dialer's tries: the two connections of one try belong together. */
  readonly attempt: number;
  readonly cluster: string;
  /** Random, and new for every connection; empty where the ensemble has no secret, as `proof` is. */
  readonly challenge: Uint8Array;
  readonly proof: Uint8Array;
}

export function encodeGreeting(greeting: Introduction): Uint8Array {
  const { from, to, channel, life, attempt, cluster, challenge, proof } = greeting;
  const writer = new Writer().u32(0).u8(1).u32(MAGIC).u16(VERSION).u8(from).u8(to);
  writer
    .u8(channel === "control" ? 0 : 1)
    .u32(life)
    .u32(attempt)
    .string(cluster);
  writer.u8(challenge.length).bytes(challenge).u8(proof.length).bytes(proof);
  return framed(writer);
}

export function encodeRefusal(reason: string): Uint8Array {
  return framed(new Writer().u32(0).u8(2).string(reason));
}

export function encodeProof(proof: Uint8Array): Uint8Array {
  return framed(new Writer().u32(0).u8(3).u8(proof.length).bytes(proof));
}

const framed = (writer: Writer): Uint8Array => writer.patchU32(0, writer.length - 4).copy();

/** Reads what follows the length. */
export function decodeGreeting(body: Uint8Array): Result<Introduction> {
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
  const greeting: Introduction = {
    from,
    to,
    channel,
    life: reader.u32(),
    attempt: reader.u32(),
    cluster: reader.string(),
    challenge: blob(reader),
    proof: blob(reader),
  };
  return reader.finish() ? read(greeting) : refused(reader.failure ?? "");
}

export function decodeProof(body: Uint8Array): Result<Uint8Array> {
  const reader = new Reader(body);
  if (reader.u8() !== 3) return refused("no proof where one must be");
  const proof = blob(reader);
  return reader.finish() ? read(proof) : refused(reader.failure ?? "");
}

const blob = (reader: Reader): Uint8Array => reader.bytes(reader.u8()).slice();
