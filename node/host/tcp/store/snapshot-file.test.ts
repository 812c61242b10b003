// lane: works, 1 s
// A snapshot's file byte by byte: what it takes to be believed, and when the disk is told to keep it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { MemoryDisk } from "../../../testing/store/memory-disk.ts";
import { z } from "../../../testing/store/store-under-test.ts";
import { readSnapshot, SnapshotDamage, SnapshotFile, snapshotName, snapshotNumber } from "./snapshot-file.ts";

const SALT = 0xffff_ffff;
const ZXID = z(9, 3);

async function written(chunks: readonly Uint8Array[], disk = new MemoryDisk()): Promise<MemoryDisk> {
  const file = new SnapshotFile(disk, 4, SALT, ZXID);
  await Promise.all(chunks.map((chunk, index) => file.write(chunk, index === chunks.length - 1)));
  return disk;
}
const chunk = (size: number, byte: number): Uint8Array => new Uint8Array(size).fill(byte);
const read = (disk: MemoryDisk, number = 4, zxid = ZXID): Uint8Array[] => [
  ...readSnapshot(disk.open(snapshotName(4)), number, zxid),
];
const damage = (disk: MemoryDisk, ...which: [number?, typeof ZXID?]): string => {
  try {
    read(disk, ...which);
  } catch (error) {
    assert.ok(error instanceof SnapshotDamage);
    return `${error.offset}: ${error.message}`;
  }
  return assert.fail("it was read");
};
const flipped = (disk: MemoryDisk, at: number): MemoryDisk => {
  const copy = disk.copy();
  const bytes = copy.bytesOf(snapshotName(4));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return copy;
};

test("chunks come back as they were, small, empty and larger than what is read ahead", async () => {
  const chunks = [chunk(3, 1), chunk(0, 0), chunk(3 << 20, 2), chunk(65_536, 3), chunk(1, 4)];
  const disk = await written(chunks);
  assert.deepEqual(disk.names(), [snapshotName(4)]);
  assert.deepEqual(
    read(disk).map((one) => [one.length, one[0]]),
    chunks.map((one) => [one.length, one[0]]),
  );
  const bytes = Buffer.from(disk.bytesOf(snapshotName(4)));
  assert.equal(bytes.length, 28 + chunks.reduce((sum, one) => sum + 12 + one.length, 0));
  assert.equal(bytes.toString("latin1", 0, 8), "poleSNP1");
  assert.deepEqual([bytes.readUInt32BE(8), bytes.readUInt32BE(12)], [SALT, 4]);
  assert.equal(Number(bytes.readBigUInt64BE(16)), ZXID);
  assert.equal(bytes.readUInt32BE(24), crc32(bytes.subarray(0, 24)));
});

test("a bit that is wrong is told, in its head or in its chunk", async () => {
  const disk = await written([chunk(5, 1), chunk(7, 2)]);
  const { length } = disk.bytesOf(snapshotName(4));
  assert.equal(length, 28 + 12 + 5 + 12 + 7);
  for (let at = 0; at < length; at++) {
    const told = damage(flipped(disk, at));
    const expected =
      at < 28 ? /^0: not the head of this snapshot/ : at < 45 ? /^(?:28|40): / : /^(?:45|57): /;
    assert.match(told, expected, `byte ${at}: ${told}`);
  }
});

test("it is of one number and one zxid", async () => {
  const disk = await written([chunk(5, 1)]);
  assert.equal(damage(disk, 5), "0: not the head of this snapshot");
  assert.equal(damage(disk, 4, z(10, 3)), "0: not the head of this snapshot");
});

test("chunks stand in their order, and the last one says so", async () => {
  const disk = await written([chunk(5, 1), chunk(5, 2), chunk(5, 3)]);
  const bytes = disk.bytesOf(snapshotName(4));
  const [one, two] = [bytes.slice(28, 45), bytes.slice(45, 62)];
  bytes.set(two, 28);
  bytes.set(one, 45);
  assert.equal(damage(disk), "28: a chunk with a wrong checksum");
});

test("what is cut off is missed, with what was expected and what there is", async () => {
  const whole = await written([chunk(5, 1), chunk(7, 2)]);
  for (const [size, told] of [
    [27, "0: 28 bytes expected, the file has 27 in all"],
    [28, "28: 12 bytes expected, the file has 28 in all"],
    [44, "40: 5 bytes expected, the file has 44 in all"],
    [45, "45: 12 bytes expected, the file has 45 in all"],
    [63, "57: 7 bytes expected, the file has 63 in all"],
  ] as const) {
    const disk = whole.copy();
    await disk.truncate(snapshotName(4), size);
    assert.equal(damage(disk), told);
  }
});

test("the disk is told to keep it each mebibyte and at the end, and only then it has its name", async () => {
  const disk = await written(Array.from({ length: 7 }, () => chunk(400_000, 1)));
  const name = snapshotName(4);
  const syncs = disk.operations.flatMap((operation, index) =>
    operation.startsWith("sync") || operation.startsWith("rename") ? [`${index} ${operation}`] : [],
  );
  // 1: create, 2: head, then chunks; three of 400 kB are more than a mebibyte.
  assert.deepEqual(syncs, [
    `5 sync ${name}.unfinished`,
    `9 sync ${name}.unfinished`,
    `11 sync ${name}.unfinished`,
    `12 rename ${name}.unfinished`,
    "13 sync .",
  ]);
  assert.equal(disk.opened, 0);
});

test("one that is given up leaves nothing", async () => {
  const disk = new MemoryDisk();
  const file = new SnapshotFile(disk, 4, SALT, ZXID);
  await file.write(chunk(10, 1), false);
  assert.deepEqual(disk.names(), [`${snapshotName(4)}.unfinished`]);
  await file.abandon();
  assert.deepEqual([disk.names(), disk.opened], [[], 0]);
});

test("one that fails keeps no file open, and says why", async () => {
  const disk = new MemoryDisk();
  const file = new SnapshotFile(disk, 4, SALT, ZXID);
  await file.write(chunk(10, 1), false);
  disk.failWhen((operation) => (operation === "write" ? new Error("ENOSPC: no space") : null));
  await assert.rejects(file.write(chunk(10, 1), true), /ENOSPC/);
  assert.equal(disk.opened, 0);
});

test("names and numbers go together", () => {
  assert.equal(snapshotName(12), "snapshot.0000000012");
  const names = [
    "snapshot.0000000012",
    "snapshot.12",
    "snapshot.0000000012.unfinished",
    "a.snapshot.0000000012",
  ];
  assert.deepEqual(names.map(snapshotNumber), [12, null, null, null]);
});
