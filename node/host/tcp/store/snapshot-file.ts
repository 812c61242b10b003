/**
 * One snapshot, one file: written chunk by chunk under a name that says it is unfinished, renamed when all of
 * it is on the disk. A snapshot that a crash interrupts was never there.
 *
 *   file  => head chunk*
 *   head  => magic:8 salt:u32 number:u32 zxid:u64 crc:u32
 *   chunk => size:u32 crc:u32 last:u32 bytes        crc covers what follows it, seeded with salt + index
 */

import { crc32 } from "node:zlib";
import type { Zxid } from "../../../core/zxid.ts";
import type { Disk, DiskFile, DiskReader } from "./disk.ts";

const MAGIC = "poleSNP1";
const HEAD = 28;
const CHUNK_HEAD = 12;
/**
 * So many bytes are written before the disk is told to keep them: left to itself the kernel collects hundreds
 * of megabytes, and the log's own small write then waits for all of them.
 */
const SYNC_EVERY = 1 << 20;
const READ_AHEAD = 1 << 20;

export const snapshotName = (number: number): string => `snapshot.${String(number).padStart(10, "0")}`;

export function snapshotNumber(name: string): number | null {
  const match = /^snapshot\.(\d{10})$/.exec(name);
  return match === null ? null : Number(match[1]);
}

export const UNFINISHED = ".unfinished";

/**
 * Writes one snapshot. Every method begins when the one before is done, so callers need not wait in between.
 */
export class SnapshotFile {
  readonly #disk: Disk;
  readonly number: number;
  readonly #name: string;
  readonly #salt: number;
  readonly #file: Promise<DiskFile>;
  #done: Promise<void>;
  #offset = HEAD;
  #index = 0;
  #unsynced = 0;

  constructor(disk: Disk, number: number, salt: number, zxid: Zxid) {
    this.#disk = disk;
    this.number = number;
    this.#name = snapshotName(number);
    this.#salt = salt;
    this.#file = disk.create(this.#name + UNFINISHED, "buffered");
    this.#done = this.#file.then((file) => file.write(encodeHead(number, salt, zxid), 0));
  }

  /**
   * Fulfilled when the file has taken the chunk; the last one, when the whole snapshot is durable under its
   * name.
   */
  write(chunk: Uint8Array, last: boolean): Promise<void> {
    const head = Buffer.alloc(CHUNK_HEAD);
    head.writeUInt32BE(chunk.length, 0);
    head.writeUInt32BE(last ? 1 : 0, 8);
    head.writeUInt32BE(chunkSum(head.subarray(8), chunk, this.#salt + this.#index++), 4);
    const position = this.#offset;
    this.#offset += head.length + chunk.length;
    this.#done = this.#done.then(async () => {
      const file = await this.#file;
      await file.write(Buffer.concat([head, chunk]), position);
      this.#unsynced += head.length + chunk.length;
      if (this.#unsynced >= SYNC_EVERY || last) {
        this.#unsynced = 0;
        await file.sync();
      }
    });
    if (last) this.#done = this.#finish();
    return this.#done;
  }

  /** Not to be called after the last chunk: whole or not, the file is closed then. */
  async abandon(): Promise<void> {
    await this.#close();
    await this.#disk.remove(this.#name + UNFINISHED);
  }

  async #finish(): Promise<void> {
    await this.#close();
    await this.#disk.rename(this.#name + UNFINISHED, this.#name);
    await this.#disk.sync();
  }

  /** After what was begun, whatever became of it. */
  async #close(): Promise<void> {
    try {
      await this.#done;
    } finally {
      await (await this.#file).close();
    }
  }
}

/** What is wrong with a snapshot that the log says is there. */
export class SnapshotDamage extends Error {
  override readonly name = "SnapshotDamage";
  readonly offset: number;

  constructor(offset: number, what: string) {
    super(what);
    this.offset = offset;
  }
}

/**
 * Streams the chunks of a finished snapshot; memory never holds more than the chunk and a little read ahead.
 */
export function* readSnapshot(reader: DiskReader, number: number, zxid: Zxid): Generator<Uint8Array> {
  const window = new Window(reader);
  const head = window.take(0, HEAD);
  const salt = decodeHead(head, number, zxid);
  let offset = HEAD;
  for (let index = 0, last = false; !last; index++) {
    const chunkHead = window.take(offset, CHUNK_HEAD);
    const chunk = window.take(offset + CHUNK_HEAD, chunkHead.readUInt32BE(0));
    if (chunkHead.readUInt32BE(4) !== chunkSum(chunkHead.subarray(8), chunk, salt + index)) {
      throw new SnapshotDamage(offset, "a chunk with a wrong checksum");
    }
    last = chunkHead.readUInt32BE(8) === 1;
    offset += CHUNK_HEAD + chunk.length;
    yield chunk;
  }
}

const chunkSum = (tail: Uint8Array, chunk: Uint8Array, seed: number): number =>
  crc32(chunk, crc32(tail, seed >>> 0));

function encodeHead(number: number, salt: number, zxid: Zxid): Uint8Array {
  const head = Buffer.alloc(HEAD);
  head.write(MAGIC, 0, "latin1");
  head.writeUInt32BE(salt, 8);
  head.writeUInt32BE(number, 12);
  head.writeBigUInt64BE(BigInt(zxid), 16);
  head.writeUInt32BE(crc32(head.subarray(0, 24)), 24);
  return head;
}

/** The salt of a head that says what it should. */
function decodeHead(head: Buffer, number: number, zxid: Zxid): number {
  const salt = head.readUInt32BE(8);
  if (!head.equals(encodeHead(number, salt, zxid)))
    throw new SnapshotDamage(0, "not the head of this snapshot");
  return salt;
}

/** Reads ahead, so that a chunk of 64 KiB does not cost two calls of the system. */
class Window {
  readonly #reader: DiskReader;
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;

  constructor(reader: DiskReader) {
    this.#reader = reader;
  }

  take(position: number, length: number): Buffer {
    if (position + length > this.#reader.size) {
      throw new SnapshotDamage(
        position,
        `${length} bytes expected, the file has ${this.#reader.size} in all`,
      );
    }
    if (position < this.#start || position + length > this.#start + this.#bytes.length) {
      this.#bytes = this.#reader.read(position, Math.max(length, READ_AHEAD));
      this.#start = position;
    }
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + position - this.#start, length);
  }
}
