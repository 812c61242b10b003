import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { IMAGE_HEAD } from "../../../wire/transaction.ts";
import { Damage } from "./damage.ts";
import { MemoryDisk } from "../../../testing/store/memory-disk.ts";
import { writeRecord } from "../../../wire/record.ts";
import { Writer } from "../../../wire/writer.ts";
import type { LogRecord } from "../../../core/record.ts";
import { BATCH_HEAD, PAGE, SEGMENT_HEAD, sealBatch, segmentName } from "./segment.ts";
import { snapshotName } from "./snapshot-file.ts";
import {
  append,
  type Life,
  live,
  promise,
  SEGMENT,
  snapshot,
  transaction,
  z,
  zxids,
} from "../../../testing/store/store-under-test.ts";

function bytesOf(record: LogRecord | undefined): Uint8Array {
  assert.ok(record !== undefined);
  const writer = new Writer();
  writeRecord(writer, record);
  return writer.view(0).slice();
}

test("a flipped bit in front of later writes is damage: it says where, and does not start", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  for (let counter = 1; counter <= 3; counter++) {
    append(life, transaction(z(counter)));
    await life.rest();
  }
  const bytes = disk.bytesOf(segmentName(1));
  const at = Buffer.from(bytes).indexOf(Buffer.alloc(20, z(2) % 251));
  bytes[at] = (bytes[at] as number) ^ 1;
  await assert.rejects(live(disk), (error) => {
    assert.ok(error instanceof Damage);
    assert.match(
      error.message,
      /^disk\/log\.0000000001, byte \d+: unreadable, although the log goes on after it/,
    );
    return true;
  });
});

test("a flipped bit is harmless, a torn last write, or damage; never another history", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 8; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  const names = disk.names().filter((name) => name.startsWith("log."));
  assert.ok(names.length > 2, "several segments");
  for (const name of names) {
    for (let at = 0; at < disk.bytesOf(name).length; at += 3) {
      if (at % PAGE > 240) continue; // zeros
      const copy = disk.copy();
      const bytes = copy.bytesOf(name);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      const next = await live(copy, SEGMENT).catch((error: unknown) => error);
      if (next instanceof Damage) continue;
      assert.ok(!(next instanceof Error), String(next));
      const known = zxids(next as Life);
      assert.ok(known.length >= 7, `${name} at ${at}: ${known.length} left`);
      assert.deepEqual(
        known,
        [1, 2, 3, 4, 5, 6, 7, 8].slice(0, known.length).map((counter) => z(counter)),
      );
    }
  }
});

test("a write missing or torn at the end of a segment is damage when another segment follows", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 8; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  const last = Buffer.from(disk.bytesOf(segmentName(1))).lastIndexOf(Buffer.alloc(100, z(2) % 251));
  const torn = disk.copy();
  torn.bytesOf(segmentName(1)).fill(0, last, last + 1);
  await assert.rejects(
    live(torn, SEGMENT),
    /log\.0000000001, byte \d+: unreadable, although the log goes on after it/,
  );
  const zeroed = disk.copy();
  zeroed.bytesOf(segmentName(1)).fill(0, last - BATCH_HEAD - 4 - 1 - IMAGE_HEAD);
  await assert.rejects(live(zeroed, SEGMENT), /log\.000000000[12], byte \d+: unreadable/);
});

test("what was cut off is told, and the part of the log that was never written goes", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  const { length } = disk.bytesOf(segmentName(1));
  disk.bytesOf(segmentName(1)).fill(0xff, 2 * PAGE, 2 * PAGE + 4);
  const next = await live(disk.copy());
  assert.equal(next.store.cut, length - 2 * PAGE);
  assert.equal((await live(disk.copy())).store.cut, next.store.cut);
  assert.equal((await live(new MemoryDisk())).store.cut, 0);
  // Segment 2 was made ready and never written; the next life writes into one of that number.
  const names = (one: MemoryDisk): string[] => one.names().filter((name) => name.startsWith("log."));
  const third = disk.copy();
  await (await live(third)).rest();
  assert.deepEqual(names(third), [segmentName(1), segmentName(2), segmentName(3)]);
});

test("the numbers of entries and segments go on in the next life", async () => {
  const disk = new MemoryDisk();
  for (let life = 0; life < 4; life++) {
    const one = await live(disk);
    append(one, transaction(z(2 * life + 1)), transaction(z(2 * life + 2)));
    await one.rest();
    append(one, promise(life + 1));
    await one.rest();
  }
  const last = await live(disk);
  assert.deepEqual(
    zxids(last),
    [1, 2, 3, 4, 5, 6, 7, 8].map((counter) => z(counter)),
  );
  assert.equal(last.store.recovered.promise?.epoch, 4);
});

for (const [what, record, told] of [
  ["that names no file", snapshot(z(1), "prefix", [z(1)])[0], /a snapshot in the log that names no file/],
  ["that nobody can have written", null, /a record that nobody can have written: \w+ .*99/],
] as const) {
  test(`a record ${what} is damage`, async () => {
    const disk = new MemoryDisk();
    const life = await live(disk);
    append(life, transaction(z(1), 200));
    await life.rest();
    const bytes = Buffer.from(disk.bytesOf(segmentName(1)));
    const batch = bytes.subarray(PAGE, PAGE + BATCH_HEAD + bytes.readUInt32BE(PAGE));
    const entry = record === null ? Buffer.from([99, 1, 2]) : Buffer.from(bytesOf(record));
    const whole = Buffer.concat([Buffer.alloc(BATCH_HEAD + 4), entry]);
    whole.writeUInt32BE(entry.length, BATCH_HEAD);
    sealBatch(whole, 0, bytes.readUInt32BE(8));
    assert.ok(batch.length > whole.length);
    disk.bytesOf(segmentName(1)).fill(0, PAGE, PAGE + batch.length);
    disk.bytesOf(segmentName(1)).set(whole, PAGE);
    await assert.rejects(live(disk), told);
  });
}

test("a part of the log that is missing is damage", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 8; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  await disk.remove(segmentName(2));
  await assert.rejects(live(disk, SEGMENT), /log\.0000000002, byte 0: this part of the log is missing/);
});

test("a damaged or missing snapshot is told when it is read", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, ...snapshot(z(1), "prefix", [z(1)]));
  await life.rest();
  const bytes = disk.bytesOf(snapshotName(1));
  bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
  const { chunks } = (await live(disk)).store.recovered.snapshot ?? { chunks: [] };
  assert.throws(() => [...chunks], /disk\/snapshot\.0000000001, byte \d+: a chunk with a wrong checksum/);
  await disk.remove(snapshotName(1));
  await assert.rejects(live(disk), /disk\/snapshot\.0000000001, byte 0: this file is missing/);
});

test("a page that loses its power while it is written takes nothing with it that was durable", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  disk.stall();
  append(life, transaction(z(2)));
  await life.rest();
  const next = await live(
    disk.cutPower(
      () => false,
      () => true,
    ),
  );
  assert.equal(life.durable, 1);
  assert.deepEqual(zxids(next), [z(1)]);
});

test("what a life could read is there for good, although the disk had failed to keep it", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  disk.stall();
  append(life, transaction(z(2)));
  await life.rest();
  const sameMachine = disk.killProcess(() => true);
  assert.deepEqual(zxids(await live(sameMachine)), [z(1), z(2)]);
  assert.deepEqual(zxids(await live(sameMachine.cutPower(() => false))), [z(1), z(2)]);
});

test("a life that cannot make certain what it read does not begin", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  let writes = 0;
  // The zeros and the head of its segment, then what it repeats.
  disk.failWhen((operation) => (operation === "write" && ++writes > 2 ? new Error("EIO: i/o error") : null));
  const { opened } = disk;
  await assert.rejects(live(disk), /EIO/);
  assert.equal(disk.opened, opened, "and keeps no file open");
});

test("a folder tells its names in any order, and what was to be written over goes", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 9; counter++) {
    append(life, transaction(z(counter), 5000));
    await life.rest();
  }
  await (await disk.create("log.0000000001.spare", "through")).close();
  const copy = disk.copy();
  copy.names = () => disk.copy().names.call(copy).toReversed();
  assert.deepEqual(
    zxids(await live(copy, SEGMENT)),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((counter) => z(counter)),
  );
  assert.deepEqual(
    copy.names().filter((name) => name.endsWith(".spare")),
    [],
  );
});

test("a segment written before pages were kept apart is read, and the log goes on behind it", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  const pages = Buffer.from(disk.bytesOf(segmentName(1)));
  const batch = (at: number): Buffer => pages.subarray(at, at + BATCH_HEAD + pages.readUInt32BE(at));
  append(life, transaction(z(2)));
  await life.rest();
  pages.set(disk.bytesOf(segmentName(1)));
  const old = Buffer.alloc(pages.length);
  old.set(pages.subarray(0, SEGMENT_HEAD));
  old.write("poleLOG1", 0, "latin1");
  old.writeUInt32BE(crc32(old.subarray(0, SEGMENT_HEAD - 4)), SEGMENT_HEAD - 4);
  old.set(batch(PAGE), SEGMENT_HEAD);
  old.set(batch(2 * PAGE), SEGMENT_HEAD + batch(PAGE).length);
  disk.bytesOf(segmentName(1)).set(old);

  const next = await live(disk);
  assert.deepEqual(zxids(next), [z(1), z(2)]);
  append(next, transaction(z(3)));
  await next.rest();
  assert.deepEqual(zxids(await live(disk.copy())), [z(1), z(2), z(3)]);
});
