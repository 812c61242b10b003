import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../core/random.ts";
import { milliseconds } from "../../core/time.ts";
import type { Disk } from "../../host/tcp/store/disk.ts";
import { Agenda } from "../../host/virtual/agenda.ts";
import { SectorDisk } from "./sector-disk.ts";
import { Settling } from "./settling.ts";

const SECTOR = 512;

/** A disk, and a clock that goes on for as long as it has something to do. */
function machine(seed: number, tears = false) {
  const agenda = new Agenda();
  const settling = new Settling();
  const disk = new SectorDisk("p1", { sync: milliseconds(1), tears }, agenda, new Random(seed), settling);
  const rest = async (): Promise<void> => {
    while (agenda.size > 0) {
      agenda.advance();
      await settling.settled();
    }
  };
  const done = async <Result>(promise: Promise<Result>): Promise<Result> => {
    promise.catch(() => {});
    await rest();
    return promise;
  };
  return { disk, done, rest, agenda };
}

const filled = (value: number, sectors: number): Uint8Array => new Uint8Array(sectors * SECTOR).fill(value);

function contentOf(disk: Disk, name: string): number[] {
  const reader = disk.open(name);
  return [...reader.read(0, reader.size)];
}

/** The first byte of each sector. */
const sectorsOf = (disk: Disk, name: string): number[] =>
  contentOf(disk, name).filter((_, at) => at % SECTOR === 0);

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed + 1);

test("a power cut leaves what was written through, and of what was not any sectors", async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const { disk, done } = machine(seed);
    const file = await done(disk.create("f", "buffered"));
    await done(file.write(filled(1, 3), 0));
    await done(file.sync());
    await done(disk.sync());
    await done(file.write(filled(2, 2), SECTOR));
    disk.crash("machine");
    const sectors = sectorsOf(disk, "f");
    assert.equal(sectors[0], 1);
    found.add(sectors.join(""));
  }
  assert.deepEqual([...found].toSorted(), ["111", "112", "121", "122"]);
});

test("a killed process leaves what its kernel took, and the next power cut may take that back", async () => {
  let [kept, lost] = [0, 0];
  for (const seed of SEEDS) {
    const { disk, done } = machine(seed);
    const file = await done(disk.create("f", "buffered"));
    await done(disk.sync());
    await done(file.write(filled(1, 1), 0));
    disk.crash("process");
    assert.deepEqual(sectorsOf(disk, "f"), [1]);
    disk.crash("machine");
    if (contentOf(disk, "f").length === 0) lost += 1;
    else kept += 1;
  }
  assert.ok(kept > 0 && lost > 0, `${kept} kept, ${lost} lost`);
});

test("names go in their order: none is there without what was renamed before it", async () => {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const { disk, done } = machine(seed);
    for (const name of ["a", "b"]) await done(disk.create(name, "through"));
    await done(disk.sync());
    await done(disk.rename("a", "c"));
    await done(disk.remove("b"));
    disk.crash("machine");
    found.add(disk.names().join(""));
  }
  assert.deepEqual([...found].toSorted(), ["ab", "bc", "c"]);
});

test("a page that was being written may hold what nobody wrote, and no other does", async () => {
  let torn = 0;
  for (const seed of SEEDS) {
    const { disk, done } = machine(seed, true);
    const file = await done(disk.create("f", "through"));
    await done(file.write(filled(1, 16), 0));
    await done(disk.sync());
    void file.write(filled(2, 1), 0);
    disk.crash("machine");
    const sectors = sectorsOf(disk, "f");
    if (sectors[7] === 0xa5) torn += 1;
    else assert.equal(sectors[7], 1);
    assert.deepEqual(sectors.slice(8), [1, 1, 1, 1, 1, 1, 1, 1]);
  }
  assert.ok(torn > 0);
});

test("a full disk takes what lies over what is there, and nothing that grows", async () => {
  const { disk, done } = machine(1);
  const file = await done(disk.create("f", "through"));
  await done(file.write(filled(1, 2), 0));
  disk.isFull = true;
  await done(file.write(filled(2, 1), 0));
  assert.deepEqual(sectorsOf(disk, "f"), [2, 1]);
  await assert.rejects(done(file.write(filled(3, 1), 2 * SECTOR)), /ENOSPC/);
  await assert.rejects(done(disk.create("g", "through")), /ENOSPC/);
});

test("what failed to be written is read all the same, until the power goes", async () => {
  const { disk, done } = machine(1);
  const file = await done(disk.create("f", "through"));
  await done(file.write(filled(1, 1), 0));
  await done(disk.sync());
  disk.isFailing = true;
  await assert.rejects(done(file.write(filled(2, 1), 0)), /EIO/);
  disk.isFailing = false;
  assert.deepEqual(sectorsOf(disk, "f"), [2]);
  disk.crash("machine");
  assert.deepEqual(sectorsOf(disk, "f"), [1]);
});

test("a stalled disk goes on when it is let go, and a life that ended hears nothing of it", async () => {
  const { disk, done, rest } = machine(1);
  const file = await done(disk.create("log.1", "through"));
  disk.stall("log.");
  let isWritten = false;
  void file.write(filled(1, 1), 0).then(() => {
    isWritten = true;
  });
  await done(disk.create("snapshot.1", "through"));
  assert.equal(isWritten, false);
  disk.stall(null);
  await rest();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isWritten, true);

  let isTold = false;
  void file.write(filled(2, 1), 0).then(() => {
    isTold = true;
  });
  disk.crash("process");
  await rest();
  assert.equal(isTold, false);
});

test("a sector that was damaged is read otherwise, or not at all, until it is written again", async () => {
  const { disk, done } = machine(1);
  const file = await done(disk.create("f", "through"));
  await done(file.write(filled(1, 2), 0));
  disk.sectorsOf("f").damage(SECTOR, "flipped");
  assert.deepEqual(sectorsOf(disk, "f"), [1, 0x41]);
  disk.sectorsOf("f").damage(0, "unreadable");
  assert.throws(() => disk.open("f").read(0, 1), /EIO/);
  await done(file.write(filled(3, 1), 0));
  assert.deepEqual(sectorsOf(disk, "f"), [3, 0x41]);
});
