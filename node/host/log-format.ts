/**
 * Log records on a disk, and how to tell a crash from damage.
 *
 *   entry => length:u32 crc32:u32 record      both about the record's bytes
 *
 * A crash may leave the last entry unfinished: that one was never reported durable, and is dropped. Anything
 * wrong that has a whole entry somewhere behind it is no such tail: something that may have been promised was
 * lost, and only a person can decide what to do. A tail of zeros, as file systems leave them, is a torn tail
 * too.
 */

import { crc32 } from "node:zlib";
import type { LogRecord } from "../core/record.ts";
import { decodeRecord, writeRecord } from "../wire/record.ts";
import { Writer } from "../wire/writer.ts";

const HEAD = 8;
const writer = new Writer();

/** The records as entries, ready to be appended to a log. */
export function encodeEntries(records: readonly LogRecord[]): Uint8Array {
  writer.clear();
  for (const record of records) {
    const start = writer.length;
    writeRecord(writer.u32(0).u32(0), record);
    const body = start + HEAD;
    writer.patchU32(start, writer.length - body).patchU32(start + 4, crc32(writer.view(body)));
  }
  return writer.copy();
}

/** Where a log ends, and why. */
export type LogEnd =
  | { readonly kind: "whole"; readonly offset: number }
  /** What follows `offset` was being written when the crash came: cut it off and go on. */
  | { readonly kind: "torn"; readonly offset: number; readonly reason: string }
  /** What follows `offset` cannot be trusted although more was written after it: refuse to start. */
  | { readonly kind: "damaged"; readonly offset: number; readonly reason: string };

export interface LogReading {
  readonly records: readonly LogRecord[];
  readonly end: LogEnd;
}

/** Reads a log to its end. Nothing is copied: the records are parts of `bytes`. */
export function readLog(bytes: Uint8Array): LogReading {
  const records: LogRecord[] = [];
  for (let offset = 0; ; ) {
    if (offset === bytes.length) return { records, end: { kind: "whole", offset } };
    const fault = faultAt(bytes, offset);
    if (fault !== null) {
      const kind = hasEntryAfter(bytes, offset) ? "damaged" : "torn";
      return { records, end: { kind, offset, reason: fault } };
    }
    const end = offset + HEAD + u32(bytes, offset);
    const record = decodeRecord(bytes, offset + HEAD, end);
    // The checksum holds, so these are the bytes that were written: no crash explains them.
    if (!record.ok) return { records, end: { kind: "damaged", offset, reason: record.reason } };
    records.push(record.value);
    offset = end;
  }
}

function faultAt(bytes: Uint8Array, offset: number): string | null {
  const left = bytes.length - offset - HEAD;
  if (left < 0) return `${bytes.length - offset} bytes, less than an entry's head`;
  const length = u32(bytes, offset);
  if (length === 0) return "an entry of no bytes";
  if (length > left) return `an entry of ${length} bytes, of which ${left} are there`;
  const found = crc32(bytes.subarray(offset + HEAD, offset + HEAD + length));
  const expected = u32(bytes, offset + 4);
  return found === expected ? null : `checksum ${hex(found)} where ${hex(expected)} was written`;
}

/**
 * The length of a bad entry may itself be what is wrong, so whole entries are looked for at every byte behind
 * it.
 */
function hasEntryAfter(bytes: Uint8Array, bad: number): boolean {
  for (let offset = bad + 1; offset + HEAD < bytes.length; offset++) {
    if (u32(bytes, offset) <= bytes.length - offset - HEAD && faultAt(bytes, offset) === null) return true;
  }
  return false;
}

const u32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)) >>>
  0;

const hex = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;
