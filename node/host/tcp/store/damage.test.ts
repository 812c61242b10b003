import assert from "node:assert/strict";
import { test } from "node:test";
import { IMAGE_HEAD } from "../../../wire/transaction.ts";
import { Damage } from "./damage.ts";
import { MemoryDisk } from "../../../testing/store/memory-disk.ts";
import { BATCH_HEAD, segmentName } from "./segment.ts";
import { snapshotName } from "./snapshot-file.ts";
import {
  append,
  type Life,
  live,
  snapshot,
  transaction,
  z,
  zxids,
} from "../../../testing/store/store-under-test.ts";

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
  const life = await live(disk, 512);
  for (let counter = 1; counter <= 8; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  const names = disk.names().filter((name) => name.startsWith("log."));
  assert.ok(names.length > 2, "several segments");
  for (const name of names) {
    for (let at = 0; at < disk.bytesOf(name).length; at += 3) {
      const copy = disk.copy();
      const bytes = copy.bytesOf(name);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      const next = await live(copy, 512).catch((error: unknown) => error);
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
  const life = await live(disk, 512);
  for (let counter = 1; counter <= 8; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  const last = Buffer.from(disk.bytesOf(segmentName(1))).lastIndexOf(Buffer.alloc(100, z(2) % 251));
  const torn = disk.copy();
  torn.bytesOf(segmentName(1)).fill(0, last, last + 1);
  await assert.rejects(
    live(torn, 512),
    /log\.0000000001, byte \d+: unreadable, although the log goes on after it/,
  );
  const zeroed = disk.copy();
  zeroed.bytesOf(segmentName(1)).fill(0, last - BATCH_HEAD - 4 - 1 - IMAGE_HEAD);
  await assert.rejects(live(zeroed, 512), /log\.000000000[12], byte \d+: unreadable/);
});

test("a part of the log that is missing is damage", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, 512);
  for (let counter = 1; counter <= 8; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  await disk.remove(segmentName(2));
  await assert.rejects(live(disk, 512), /log\.0000000002, byte 0: this part of the log is missing/);
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
