/**
 * Zab's broadcast: what is said while an epoch stands. Proposals also carry the history during recovery.
 *
 *   propose   => 0x30 count:u32 (length:u32 image)*
 *   ack       => 0x31 epoch:u32 zxid:u64
 *   commit    => 0x32 epoch:u32 zxid:u64
 *   forward   => 0x33 ticket payload
 *   sync      => 0x34 sequence:u64
 *   synced    => 0x35 sequence:u64 committed:u64
 *   confirm   => 0x36 epoch:u32 sequence:u64
 *   confirmed => 0x37 epoch:u32 sequence:u64
 */

import { unreachable } from "../core/assert.ts";
import type { BroadcastMessage, Propose } from "../broadcast/message.ts";
import type { Transaction } from "../core/transaction.ts";
import type { Reader } from "./reader.ts";
import { IMAGE_HEAD, imageOf, readTicket, readTransaction, writeTicket } from "./transaction.ts";
import type { Writer } from "./writer.ts";

const TYPE = {
  propose: 0x30,
  ack: 0x31,
  commit: 0x32,
  forward: 0x33,
  sync: 0x34,
  synced: 0x35,
  confirm: 0x36,
  confirmed: 0x37,
} as const satisfies Partial<Record<BroadcastMessage["kind"], number>>;

export type ServiceMessage = Extract<BroadcastMessage, { readonly kind: keyof typeof TYPE }>;

export function writeService(writer: Writer, message: ServiceMessage): void {
  writer.u8(TYPE[message.kind]);
  switch (message.kind) {
    case "propose":
      writePropose(writer, message);
      return;
    case "ack":
    case "commit":
      writer.u32(message.epoch).u64(message.zxid);
      return;
    case "forward":
      writeTicket(writer, message.ticket).bytes(message.payload);
      return;
    case "sync":
      writer.u64(message.sequence);
      return;
    case "synced":
      writer.u64(message.sequence).u64(message.committed);
      return;
    case "confirm":
    case "confirmed":
      writer.u32(message.epoch).u64(message.sequence);
      return;
    default:
      unreachable(message);
  }
}

/** Null when the type is none of these. */
export function readService(type: number, reader: Reader): ServiceMessage | null {
  switch (type) {
    case TYPE.propose:
      return readPropose(reader);
    case TYPE.ack:
      return { kind: "ack", epoch: reader.epoch(), zxid: reader.zxid() };
    case TYPE.commit:
      return { kind: "commit", epoch: reader.epoch(), zxid: reader.zxid() };
    case TYPE.forward:
      return { kind: "forward", ticket: readTicket(reader), payload: reader.rest() };
    case TYPE.sync:
      return { kind: "sync", sequence: reader.u64() };
    case TYPE.synced:
      return { kind: "synced", sequence: reader.u64(), committed: reader.zxid() };
    case TYPE.confirm:
      return { kind: "confirm", epoch: reader.epoch(), sequence: reader.u64() };
    case TYPE.confirmed:
      return { kind: "confirmed", epoch: reader.epoch(), sequence: reader.u64() };
    default:
      return null;
  }
}

function writePropose(writer: Writer, { transactions }: Propose): void {
  writer.u32(transactions.length);
  for (const transaction of transactions) {
    const image = imageOf(transaction);
    writer.u32(image.length).bytes(image);
  }
}

function readPropose(reader: Reader): Propose {
  const transactions: Transaction[] = [];
  for (let left = reader.count(4 + IMAGE_HEAD); left > 0 && reader.failure === null; left--) {
    transactions.push(readTransaction(reader, reader.u32()));
  }
  return { kind: "propose", transactions };
}
