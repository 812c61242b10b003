import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "#node/core/random.ts";
import { milliseconds } from "#node/core/time.ts";
import { MemoryDisk } from "#node/testing/store/memory-disk.ts";
import { bentDisk } from "./bent-disk.ts";
import type { DiskBend } from "./abilities.ts";

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);

function disks() {
  const real = new MemoryDisk();
  const order: { fault: DiskBend | null } = { fault: null };
  return { real, order, disk: bentDisk(real, () => order.fault, new Random(1)) };
}

test("of a write that failed there is all, half or nothing; what was confirmed before it stays", async () => {
  const { real, order, disk } = disks();
  const sizes = new Set<number>();
  for (let life = 0; life < 40; life++) {
    order.fault = null;
    const file = await disk.create("log", "through");
    await file.write(bytes(1, 2), 0);
    order.fault = { kind: "failing" };
    await assert.rejects(file.write(bytes(3, 4), 2), /EIO/);
    const there = real.bytesOf("log");
    assert.deepEqual(there.slice(0, 2), bytes(1, 2));
    sizes.add(there.length);
  }
  assert.deepEqual(
    [...sizes].toSorted((a, b) => a - b),
    [2, 3, 4],
  );
});

test("a failing disk confirms nothing: no sync, no new name, no shorter file", async () => {
  const { real, order, disk } = disks();
  const file = await disk.create("snapshot", "buffered");
  await file.write(bytes(1, 2), 0);
  await disk.sync();
  order.fault = { kind: "failing" };
  await assert.rejects(file.sync(), /EIO/);
  await assert.rejects(disk.rename("snapshot", "other"), /EIO/);
  await assert.rejects(disk.truncate("snapshot", 1), /EIO/);
  await assert.rejects(disk.sync(), /EIO/);
  assert.equal(real.cutPower(() => false).bytesOf("snapshot").length, 0);
});

test("mended, it confirms again", async () => {
  const { real, order, disk } = disks();
  const file = await disk.create("snapshot", "buffered");
  order.fault = { kind: "failing" };
  await assert.rejects(file.sync(), /EIO/);
  order.fault = null;
  await file.write(bytes(1, 2), 0);
  await file.sync();
  await disk.rename("snapshot", "other");
  await disk.sync();
  assert.deepEqual(real.cutPower(() => false).bytesOf("other"), bytes(1, 2));
});

test("on a full disk half of a write finds room, and it is said that there is none", async () => {
  const { real, order, disk } = disks();
  const file = await disk.create("log", "through");
  order.fault = { kind: "full" };
  await assert.rejects(file.write(bytes(1, 2, 3, 4), 0), /ENOSPC/);
  assert.deepEqual(real.bytesOf("log"), bytes(1, 2));
});

test("on a slow disk nothing of a write is there before its time, and then all of it", async () => {
  const { real, order, disk } = disks();
  const file = await disk.create("log", "through");
  order.fault = { kind: "slow", by: milliseconds(50) };
  const began = performance.now();
  const written = file.write(bytes(1, 2), 0);
  assert.equal(real.bytesOf("log").length, 0);
  await written;
  assert.deepEqual(real.bytesOf("log"), bytes(1, 2));
  assert.ok(performance.now() - began >= 49);
});

test("on a stuck disk nothing is written and nothing safe until it is mended, then all of it", async () => {
  const { real, order, disk } = disks();
  const file = await disk.create("log", "through");
  order.fault = { kind: "stuck" };
  let ended = 0;
  const written = file.write(bytes(1, 2), 0).then(() => ended++);
  const synced = file.sync().then(() => ended++);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual([real.bytesOf("log").length, ended], [0, 0]);
  order.fault = null;
  await Promise.all([written, synced]);
  assert.deepEqual(real.bytesOf("log"), bytes(1, 2));
});
