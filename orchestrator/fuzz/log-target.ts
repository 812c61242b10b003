/**
 * Files of a data folder: a log and a snapshot, one of them damaged. They are read, or refused as damage.
 *
 *   input => file:u8 content      which of the files, and what is in it now; from 128 on with sums that hold
 *
 * Where the sums hold, what is behind them is read; otherwise no change would ever get that far.
 */

import { crc32 } from "node:zlib";
import { serverId } from "#node/core/identity.ts";
import { timeOfDay } from "#node/core/time.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import { Damage } from "#node/host/tcp/store/damage.ts";
import { MemoryDisk } from "#node/testing/store/memory-disk.ts";
import { findWhatIsThere } from "#node/host/tcp/store/recovery.ts";
import { BATCH_HEAD, PAGE, pageBehind, SEGMENT_HEAD } from "#node/host/tcp/store/segment.ts";
import { Store } from "#node/host/tcp/store/store.ts";
import type { Target } from "./target.ts";

const SEALED = 128;
/** Of the heads of segments and snapshots: where their salt is. */
const SALT = 8;
const SNAPSHOT_HEAD = 28;
const CHUNK_HEAD = 12;

const place = (counter: number) => zxid(epoch(1), counter);

export async function logTarget(): Promise<Target> {
  const original = await written();
  const names = original.names();
  return {
    seeds: [0, SEALED].flatMap((sums) =>
      names.map((name, index) => Uint8Array.of(sums + index, ...original.bytesOf(name))),
    ),
    async feed(bytes) {
      const name = names[((bytes[0] ?? 0) % SEALED) % names.length] as string;
      const disk = original.copy();
      const file = await disk.create(name, "through");
      const content = bytes.subarray(1);
      if ((bytes[0] ?? 0) >= SEALED) seal(content);
      await file.write(content, 0);
      try {
        const { recovered } = await findWhatIsThere(disk);
        for (const chunk of recovered.snapshot?.chunks ?? [])
          if (chunk.length > 1 << 20) throw new Error("long");
      } catch (error) {
        if (!(error instanceof Damage)) throw error;
      }
    },
  };
}

/** Makes every sum right for what it covers. */
function seal(content: Uint8Array): void {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const isSnapshot = bytes.toString("latin1", 0, 7) === "poleSNP";
  const head = isSnapshot ? SNAPSHOT_HEAD : SEGMENT_HEAD;
  if (bytes.length < head) return;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, head - 4)), head - 4);
  const salt = bytes.readUInt32BE(SALT);
  const partHead = isSnapshot ? CHUNK_HEAD : BATCH_HEAD;
  const page = isSnapshot ? 1 : PAGE;
  for (let at = pageBehind(head, page), index = 0; at + partHead <= bytes.length; index++) {
    const end = at + partHead + bytes.readUInt32BE(at);
    if (end > bytes.length) return;
    const seed = isSnapshot ? (salt + index) >>> 0 : salt;
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 8, end), seed), at + 4);
    at = pageBehind(end, page);
  }
}

/** Three segments and a snapshot. */
async function written(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const store = await Store.open({
    disk,
    salt: () => 12_345,
    segmentSizes: { first: 5 * PAGE, largest: 5 * PAGE },
    durable: () => {},
    failed: (reason) => {
      throw new Error(reason);
    },
  });
  const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let counter = 1; counter <= 8; counter++) {
    const ticket = { origin: serverId(1), life: 7, sequence: counter };
    const payload = new Uint8Array(60).fill(counter);
    const transaction = { zxid: place(counter), time: timeOfDay(0), ticket, payload, imaged: false };
    store.append([{ kind: "transaction", transaction }]);
    if (counter === 5) {
      const chunk = { kind: "snapshot", zxid: place(4), replaces: "prefix" } as const;
      store.append([
        { ...chunk, index: 0, last: false, bytes: new Uint8Array(50).fill(1) },
        { ...chunk, index: 1, last: true, bytes: new Uint8Array(50).fill(2) },
      ]);
    }
    store.flush();
    await rest();
  }
  await store.close();
  return disk;
}
