/**
 * A transaction as bytes is called its image, and is made once: by the leader, when it first sends or stores
 * it. The same bytes then go to every follower, and from the frame they came in into every log. A transaction
 * that was read keeps the part of the frame it was read from, and with it the whole frame, in memory; frames
 * carry what was proposed in one turn, so that little else is kept alive.
 *
 *   image => zxid:u64 time:u64 origin:u8 life:u32 sequence:u64 payload
 */

import type { TimeOfDay } from "../core/time.ts";
import type { Ticket, Transaction } from "../core/transaction.ts";
import { Arena } from "../core/arena.ts";
import type { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

const images = new Arena();

/** What an image has besides the payload. */
export const IMAGE_HEAD = 8 + 8 + 1 + 4 + 8;

export function imageOf(transaction: Transaction): Uint8Array {
  const { zxid, time, ticket, payload } = transaction;
  const size = IMAGE_HEAD + payload.length;
  if (transaction.imaged) return new Uint8Array(payload.buffer, payload.byteOffset - IMAGE_HEAD, size);
  const image = images.room(size);
  writeTicket(new Writer(size, image).u64(zxid).u64(time), ticket).bytes(payload);
  transaction.payload = image.subarray(IMAGE_HEAD);
  transaction.imaged = true;
  return image;
}

/** Reads an image of `length` bytes. */
export function readTransaction(reader: Reader, length: number): Transaction {
  if (length < IMAGE_HEAD) reader.fail(`a transaction of ${length} bytes`);
  const zxid = reader.zxid();
  const time = reader.u64() as TimeOfDay;
  const ticket = readTicket(reader);
  const payload = reader.bytes(Math.max(0, length - IMAGE_HEAD));
  return { zxid, time, ticket, payload, imaged: true };
}

/** ticket => origin:u8 life:u32 sequence:u64 */
export const writeTicket = (writer: Writer, { origin, life, sequence }: Ticket): Writer =>
  writer.u8(origin).u32(life).u64(sequence);

export function readTicket(reader: Reader): Ticket {
  const origin = reader.server();
  const life = reader.u32();
  const sequence = reader.u64();
  return { origin, life, sequence };
}
