/**
 * What a server must remember, as bytes. Which records are whole and which were torn by a crash is told by
 * the framing around them (`host/tcp/store/segment.ts`; in virtual time `host/log-format.ts`).
 *
 *   transaction => 1 image
 *   truncate    => 2 to:u64
 *   promise     => 3 epoch:u32 leader:u8
 *   epoch       => 4 epoch:u32
 *   snapshot    => 5 zxid:u64 all:flag index:u32 last:flag chunk
 *   founder     => 6
 */

import { unreachable } from "../core/assert.ts";
import type { LogRecord } from "../core/record.ts";
import { Reader } from "./reader.ts";
import { type Result, read, refused } from "./result.ts";
import { imageOf, readTransaction } from "./transaction.ts";
import type { Writer } from "./writer.ts";

const TYPE = {
  transaction: 1,
  truncate: 2,
  promise: 3,
  epoch: 4,
  snapshot: 5,
  founder: 6,
} as const satisfies Record<LogRecord["kind"], number>;

export function writeRecord(writer: Writer, record: LogRecord): void {
  writer.u8(TYPE[record.kind]);
  switch (record.kind) {
    case "transaction":
      writer.bytes(imageOf(record.transaction));
      return;
    case "truncate":
      writer.u64(record.to);
      return;
    case "promise":
      writer.u32(record.epoch).u8(record.leader);
      return;
    case "epoch":
      writer.u32(record.epoch);
      return;
    case "founder":
      return;
    case "snapshot":
      writer
        .u64(record.zxid)
        .flag(record.replaces === "all")
        .u32(record.index)
        .flag(record.last);
      writer.bytes(record.bytes);
      return;
    default:
      unreachable(record);
  }
}

/** Reads the record that fills `bytes` from `start` to `end`; nothing is copied. */
export function decodeRecord(bytes: Uint8Array, start = 0, end = bytes.length): Result<LogRecord> {
  const reader = new Reader(bytes, start, end);
  const record = readRecord(reader);
  return reader.finish() && record !== null ? read(record) : refused(reader.failure ?? "");
}

function readRecord(reader: Reader): LogRecord | null {
  const type = reader.u8();
  switch (type) {
    case TYPE.transaction:
      return { kind: "transaction", transaction: readTransaction(reader, reader.left) };
    case TYPE.truncate:
      return { kind: "truncate", to: reader.zxid() };
    case TYPE.promise:
      return { kind: "promise", epoch: reader.epoch(), leader: reader.server() };
    case TYPE.epoch:
      return { kind: "epoch", epoch: reader.epoch() };
    case TYPE.founder:
      return { kind: "founder" };
    case TYPE.snapshot:
      return {
        kind: "snapshot",
        zxid: reader.zxid(),
        replaces: reader.flag() ? "all" : "prefix",
        index: reader.u32(),
        last: reader.flag(),
        bytes: reader.rest(),
      };
    default:
      reader.fail(`unknown record type ${type}`);
      return null;
  }
}
