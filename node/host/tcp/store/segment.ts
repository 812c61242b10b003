/**
 * A segment is one file of the log: bytes that were written before, zeros or an older segment, over which
 * batches are written from the front, each from the beginning of a page. Every write carries the end behind
 * its batch, and the next batch is written over that end: so no write touches a page that holds what was
 * reported durable, and a disk that loses its power while it writes a page has only the end to lose.
 *
 * A batch is what one write carried, and only one write is under way at a time. So after a crash at most the
 * last batch can be torn, and it was never reported durable: whatever is unreadable and has no readable batch
 * behind it is cut off. Unreadable bytes with a readable batch behind them are something else: the disk lost
 * what it had promised to keep, and a server that forgets what it acknowledged must not go on as if nothing
 * were.
 *
 *   segment => head page-end (batch page-end)* end anything
 *   head    => magic:8 salt:u32 number:u32 crc:u32
 *   batch   => size:u32 crc:u32 first:u64 entry*    size counts the entries, crc covers what follows it
 *   entry   => size:u32 record
 *   end     => 16 zeros, as the head of a batch without entries would begin
 *
 * `first` counts entries since the log began, so that a batch or a segment that vanished leaves a gap. `salt`
 * is random and seeds the checksums, so that neither what a client writes nor what an older segment left here
 * can pass for a batch.
 *
 * Before pages were kept apart (`poleLOG1`) everything stood right behind what came before it; such segments
 * are read, never written.
 */

import { crc32 } from "node:zlib";

/** What a disk writes as one, or destroys as one. */
export const PAGE = 4096;
export const SEGMENT_HEAD = 20;
export const BATCH_HEAD = 16;
/** A segment has fewer entries. */
const LARGEST_LEAP = 2 ** 30;
const MAGIC = "poleLOG2";
const UNPAGED_MAGIC = "poleLOG1";
const ZEROS = Buffer.alloc(64 * 1024);

export interface SegmentHead {
  readonly number: number;
  readonly salt: number;
  /** Batches begin at multiples of this. */
  readonly page: number;
}

export interface SoundBatch {
  readonly first: number;
  readonly entries: readonly Uint8Array[];
}

/** How a segment ends: where the sound batches end, and what stands behind them. */
export interface SegmentEnd {
  readonly offset: number;
  readonly tail: "end" | "torn" | "damaged";
}

export const segmentName = (number: number): string => `log.${String(number).padStart(10, "0")}`;

export function segmentNumber(name: string): number | null {
  const match = /^log\.(\d{10})$/.exec(name);
  return match === null ? null : Number(match[1]);
}

/** Where the page begins that is not touched by what ends at `offset`. */
export const pageBehind = (offset: number, page = PAGE): number => Math.ceil(offset / page) * page;

/** The beginning of a segment without batches: its head, and the end. */
export function encodeSegmentHead({ number, salt }: Omit<SegmentHead, "page">): Uint8Array {
  const bytes = Buffer.alloc(PAGE + BATCH_HEAD);
  bytes.write(MAGIC, 0, "latin1");
  bytes.writeUInt32BE(salt, 8);
  bytes.writeUInt32BE(number, 12);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 16)), 16);
  return bytes;
}

export function decodeSegmentHead(segment: Uint8Array): SegmentHead | null {
  const bytes = asBuffer(segment);
  const magic = bytes.toString("latin1", 0, 8);
  if (bytes.length < SEGMENT_HEAD || (magic !== MAGIC && magic !== UNPAGED_MAGIC)) return null;
  if (bytes.readUInt32BE(16) !== crc32(bytes.subarray(0, 16))) return null;
  const page = magic === MAGIC ? PAGE : 1;
  return { salt: bytes.readUInt32BE(8), number: bytes.readUInt32BE(12), page };
}

/** Completes a batch in place: `bytes` holds its entries behind room for its head. */
export function sealBatch(bytes: Uint8Array, first: number, salt: number): void {
  const batch = asBuffer(bytes);
  batch.writeUInt32BE(batch.length - BATCH_HEAD, 0);
  batch.writeUInt32BE(Math.floor(first / 2 ** 32), 8);
  batch.writeUInt32BE(first >>> 0, 12);
  batch.writeUInt32BE(crc32(batch.subarray(8), salt), 4);
}

/**
 * Reads the batches of a segment, handing each to `take`, up to where they end. The first of them is entry
 * `expected`, or `repeated`, or, where both are null, whichever it is.
 */
export function readSegment(
  segment: Uint8Array,
  { salt, page }: SegmentHead,
  { expected, repeated }: { readonly expected: number | null; readonly repeated: number | null },
  take: (batch: SoundBatch) => void,
): SegmentEnd {
  const bytes = asBuffer(segment);
  let offset = pageBehind(SEGMENT_HEAD, page);
  let next = expected;
  let isWanted = (first: number): boolean => next === null || first === next || first === repeated;
  for (;;) {
    const found = batchAt(bytes, offset, salt, isWanted);
    if (found === null) return { offset, tail: judgeTail(bytes, offset, { salt, page }, next ?? 0) };
    take(found.batch);
    offset = pageBehind(found.end, page);
    next = found.batch.first + found.batch.entries.length;
    isWanted = (first) => first === next;
  }
}

type Layout = Pick<SegmentHead, "salt" | "page">;

function judgeTail(bytes: Buffer, offset: number, layout: Layout, expected: number): SegmentEnd["tail"] {
  const written = firstWritten(bytes, offset);
  if (written === null) return "end";
  // The first byte that is not zero may be the last of the four that say a size.
  const from = Math.max(offset, Math.floor((written - 3) / layout.page) * layout.page);
  if (holdsLater(bytes, from, layout, expected)) return "damaged";
  return written < offset + BATCH_HEAD ? "torn" : "end";
}

/**
 * A later batch may begin at any page; its number, 8 bytes of it, and then its checksum tell it from chance.
 */
function holdsLater(bytes: Buffer, from: number, { salt, page }: Layout, expected: number): boolean {
  const later = (first: number): boolean => first > expected && first < expected + LARGEST_LEAP;
  for (let at = from; at + BATCH_HEAD <= bytes.length; at += page) {
    // Numbers are below 2^53. Looking at their highest byte first spares nine tenths of the time.
    if (bytes[at + 8] === 0 && batchAt(bytes, at, salt, later) !== null) return true;
  }
  return false;
}

/** Where the zeros end: piece by piece, because a whole segment may be zeros. */
function firstWritten(bytes: Buffer, offset: number): number | null {
  for (let at = offset; at < bytes.length; at += ZEROS.length) {
    const piece = bytes.subarray(at, at + ZEROS.length);
    if (ZEROS.compare(piece, 0, piece.length, 0, piece.length) === 0) continue;
    return at + piece.findIndex((byte) => byte !== 0);
  }
  return null;
}

function batchAt(
  bytes: Buffer,
  at: number,
  salt: number,
  isWanted: (first: number) => boolean,
): { readonly batch: SoundBatch; readonly end: number } | null {
  if (at + BATCH_HEAD > bytes.length) return null;
  const end = at + BATCH_HEAD + bytes.readUInt32BE(at);
  if (end === at + BATCH_HEAD || end > bytes.length) return null;
  const first = bytes.readUInt32BE(at + 8) * 2 ** 32 + bytes.readUInt32BE(at + 12);
  if (!isWanted(first) || bytes.readUInt32BE(at + 4) !== crc32(bytes.subarray(at + 8, end), salt))
    return null;
  const entries = splitEntries(bytes.subarray(at + BATCH_HEAD, end));
  return entries === null ? null : { batch: { first, entries }, end };
}

function splitEntries(body: Buffer): readonly Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 4 + (at + 4 <= body.length ? body.readUInt32BE(at) : Infinity);
    if (end > body.length) return null;
    entries.push(body.subarray(at + 4, end));
    at = end;
  }
  return entries;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
