import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { epoch } from "../../../core/zxid.ts";
import type { LogRecord } from "../../../core/record.ts";
import { recover } from "../../../core/recovery.ts";
import { MemoryDisk } from "../../../testing/store/memory-disk.ts";
import {
  append,
  knowledge,
  live,
  promise,
  SEGMENT,
  snapshot,
  transaction,
  z,
  zxids,
} from "../../../testing/store/store-under-test.ts";
import { segmentName, segmentNumber } from "./segment.ts";
import { snapshotName } from "./snapshot-file.ts";

test("what was durable is there in the next life", async () => {
  const disk = new MemoryDisk();
  const first = await live(disk);
  append(first, promise(1), { kind: "epoch", epoch: epoch(1) }, transaction(z(1)), transaction(z(2)));
  await first.rest();
  assert.equal(first.durable, 4);

  const second = await live(disk.cutPower(() => false));
  assert.deepEqual(second.store.recovered.promise, { epoch: 1, leader: 2 });
  assert.equal(second.store.recovered.epoch, 1);
  assert.deepEqual(zxids(second), [z(1), z(2)]);
});

test("what arrives while the disk is busy goes with the next write, all of it", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, 1 << 20);
  await life.rest();
  const writes = (): number =>
    disk.operations.filter((line) => line === `write ${segmentName(1)}.unfinished`).length;
  const before = writes();
  const release = disk.stall();
  append(life, transaction(z(1)));
  await life.rest();
  for (let counter = 2; counter <= 100; counter++) append(life, transaction(z(counter)));
  release();
  await life.rest();
  assert.equal(life.durable, 100);
  assert.equal(writes() - before, 2);
});

test("a write that the power cut tore is cut off, whichever of its sectors are there", async () => {
  for (let pattern = 0; pattern < 16; pattern++) {
    const disk = new MemoryDisk();
    const life = await live(disk);
    append(life, transaction(z(1)));
    await life.rest();
    disk.stall();
    append(life, transaction(z(2), 600), transaction(z(3), 600));
    await life.rest();
    let sector = 0;
    const after = disk.cutPower(() => ((pattern >> sector++) & 1) === 1);

    const next = await live(after);
    assert.deepEqual(zxids(next), pattern === 15 || pattern === 7 ? [z(1), z(2), z(3)] : [z(1)]);
    append(next, transaction(z(9)));
    await next.rest();
    assert.ok(zxids(await live(after)).includes(z(9)), "the log goes on behind the cut");
  }
});

test("a checkpoint lets go of the log before it, and loses neither promise nor epoch", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  append(life, promise(3), { kind: "epoch", epoch: epoch(3) });
  for (let counter = 1; counter <= 20; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
  }
  const segments = (): number => disk.names().filter((name) => segmentNumber(name) !== null).length;
  const before = segments();
  append(life, ...snapshot(z(18), "prefix", [z(18)]), transaction(z(21)));
  await life.rest();
  assert.equal(life.durable, 25);
  assert.ok(segments() < before, disk.names().join(" "));

  const next = await live(
    disk.cutPower(() => false),
    SEGMENT,
  );
  assert.deepEqual(next.store.recovered.promise, { epoch: 3, leader: 2 });
  assert.equal(next.store.recovered.epoch, 3);
  assert.equal(next.store.recovered.snapshot?.zxid, z(18));
  assert.deepEqual(zxids(next), [z(19), z(20), z(21)]);
});

/** So that a checkpoint lets several segments go, and the next ones are written over them. */
async function livePastACheckpoint(disk: MemoryDisk): Promise<void> {
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 30; counter++) {
    append(life, transaction(z(counter), 100));
    await life.rest();
    if (counter === 15) append(life, ...snapshot(z(15), "prefix", [z(15)]));
  }
}

test("a checkpoint keeps what came after it, also where a segment holds nothing else", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 5; counter++) {
    append(life, transaction(z(counter), 10_000));
    await life.rest();
  }
  append(life, ...snapshot(z(2), "prefix", [z(1), z(2)]));
  await life.rest();
  await life.rest();
  const names = disk.names().filter((name) => segmentNumber(name) !== null);
  assert.ok(!names.includes(segmentName(1)), "the first is let go");
  assert.deepEqual(zxids(await live(disk.copy(), SEGMENT)).slice(-3), [z(3), z(4), z(5)]);
});

test("a snapshot's number is beyond all that are there, also of one that was to be removed", async () => {
  const disk = new MemoryDisk();
  for (const counter of [1, 2]) {
    const life = await live(disk);
    append(life, transaction(z(counter)), ...snapshot(z(counter), "prefix", [z(counter)]));
    await life.rest();
    await life.rest();
  }
  assert.ok(disk.names().includes(snapshotName(2)));
  await (await disk.create(snapshotName(1), "through")).close();
  const next = await live(disk);
  append(next, ...snapshot(z(2), "prefix", [z(1), z(2)]));
  await next.rest();
  await next.rest();
  assert.deepEqual(
    disk.names().filter((name) => name.startsWith("snapshot")),
    [snapshotName(3)],
  );
});

test("what a checkpoint lets go is written over, without zeros before", async () => {
  const disk = new MemoryDisk();
  await livePastACheckpoint(disk);
  const done = disk.operations;
  const spares = done.flatMap((line) => /^create (.*\.spare)$/.exec(line)?.[1] ?? []);
  assert.ok(spares.length > 3, spares.join(" "));
  for (const spare of spares) {
    const made = done.slice(done.indexOf(`create ${spare}`), done.lastIndexOf(`rename ${spare}`));
    assert.equal(made.filter((line) => line === `write ${spare}`).length, 1, "its new head, nothing else");
  }
});

test("what an older segment left behind the end is neither the log's nor damage", async () => {
  const disk = new MemoryDisk();
  await livePastACheckpoint(disk);
  const next = await live(
    disk.cutPower(() => false),
    SEGMENT,
  );
  assert.equal(next.store.cut, 0);
  assert.deepEqual(
    zxids(next),
    Array.from({ length: 15 }, (_, index) => z(16 + index)),
  );
});

test("what follows a checkpoint is written beside it, but reported only after it", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  const release = disk.stall((name) => name.startsWith("snapshot"));
  append(life, ...snapshot(z(1), "prefix", [z(1)]), transaction(z(2)));
  await life.rest();
  assert.equal(life.durable, 1);
  assert.deepEqual(zxids(await live(disk.copy())), [z(1), z(2)]);
  release();
  await life.rest();
  assert.equal(life.durable, 4);
});

test("a received snapshot replaces the history, in order with what comes before and after", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)), transaction(z(2)), transaction(z(3)));
  append(life, ...snapshot(z(2, 2), "all", [z(1, 2), z(2, 2)]), transaction(z(3, 2)));
  await life.rest();
  assert.equal(life.durable, 6);
  const next = await live(disk);
  assert.equal(next.store.recovered.snapshot?.zxid, z(2, 2));
  assert.deepEqual(zxids(next), [z(3, 2)]);
});

test("a snapshot that the crash interrupted was never there, and leaves no file", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)), snapshot(z(1), "prefix", [z(1)])[0] as LogRecord);
  await life.rest();
  const next = await live(disk);
  assert.equal(next.store.recovered.snapshot, null);
  assert.deepEqual(zxids(next), [z(1)]);
  assert.deepEqual(
    disk.names().filter((name) => name.startsWith("snapshot")),
    [],
  );
});

for (const [what, operation, message] of [
  ["a failed fsync", "write", "EIO: i/o error, write"],
  ["a full disk", "write", "ENOSPC: no space left on device, write"],
] as const) {
  test(`${what}: told once, nothing is durable from then on, and the next life has what was`, async () => {
    const disk = new MemoryDisk();
    const life = await live(disk);
    append(life, transaction(z(1)));
    await life.rest();
    let times = 0;
    disk.failWhen((done) => (done === operation && times++ === 0 ? new Error(message) : null));
    append(life, transaction(z(2)));
    await life.rest();
    append(life, transaction(z(3)));
    await life.rest();
    assert.equal(life.durable, 1);
    assert.equal(life.failure, `disk: ${message}`);
    assert.deepEqual(zxids(await live(disk)), [z(1)]);
  });
}

test("a snapshot that finds no room is the end too, although the log has some", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  append(life, transaction(z(1)));
  await life.rest();
  const full = new Error("ENOSPC");
  disk.failWhen((operation, name) => {
    return operation === "write" && name.startsWith("snapshot") ? full : null;
  });
  append(life, ...snapshot(z(1), "prefix", [z(1)]), transaction(z(2)));
  await life.rest();
  append(life, transaction(z(3)));
  await life.rest();
  assert.equal(life.durable, 1);
  assert.equal(life.failure, "disk: ENOSPC");
  assert.deepEqual(zxids(await live(disk.copy())).slice(0, 2), [z(1), z(2)]);
});

test("room for the next segment is missed only when it is needed, not if there is some by then", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  disk.failWhen((operation) => (operation === "create" ? new Error("ENOSPC") : null));
  append(life, transaction(z(1), 300));
  await life.rest();
  append(life, transaction(z(2), 300));
  await life.rest();
  disk.failWhen(null);
  append(life, transaction(z(3), 300));
  await life.rest();
  assert.equal(life.failure, null);
  assert.equal(life.durable, 3);
});

test("closing waits for the write that is under way, and reports nothing any more", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk);
  const release = disk.stall();
  append(life, transaction(z(1)));
  await life.rest();
  const closed = life.store.close();
  release();
  await closed;
  assert.equal(life.durable, 0);
  assert.deepEqual(zxids(await live(disk)), [z(1)]);
});

test("a checkpoint that ends late is not installed over the snapshot begun behind it", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 3; counter++) append(life, transaction(z(counter)));
  await life.rest();
  const release = disk.stall((name) => name.startsWith(snapshotName(1)));
  append(life, ...snapshot(z(2), "prefix", [z(1), z(2)]));
  await life.rest();
  const received = [...snapshot(z(9, 2), "all", [z(8, 2), z(9, 2)]), transaction(z(10, 2))];
  append(life, ...received);
  await life.rest();
  release();
  await life.rest();
  assert.equal(life.durable, 8);
  const { recovered } = (await live(disk.cutPower(() => false))).store;
  assert.equal(recovered.snapshot?.zxid, z(9, 2));
  assert.equal(knowledge(recovered), knowledge(recover(received)));
});

test("of two checkpoints the one begun later counts, whichever file is whole first", async () => {
  const disk = new MemoryDisk();
  const life = await live(disk, SEGMENT);
  for (let counter = 1; counter <= 3; counter++) append(life, transaction(z(counter)));
  await life.rest();
  const release = disk.stall((name) => name.startsWith(snapshotName(1)));
  append(life, ...snapshot(z(1), "prefix", [z(1)]), ...snapshot(z(3), "prefix", [z(1), z(2), z(3)]));
  await life.rest();
  release();
  await life.rest();
  assert.equal(life.durable, 7);
  assert.equal((await live(disk.cutPower(() => false))).store.recovered.snapshot?.zxid, z(3));
});

for (const [what, operation, ends] of [
  ["a segment", "write", segmentName(2)],
  ["a snapshot's first chunk", "write", snapshotName(1)],
  ["a snapshot's last word", "sync", snapshotName(1)],
  ["a snapshot's name", "rename", snapshotName(1)],
] as const) {
  test(`a disk that is full at ${what} keeps no file open once the store is closed`, async () => {
    const disk = new MemoryDisk();
    const life = await live(disk, SEGMENT);
    disk.failWhen((done, name) =>
      done === operation && name.startsWith(ends) ? new Error("ENOSPC: no space left") : null,
    );
    for (let counter = 1; counter <= 4; counter++) {
      append(life, transaction(z(counter)));
      await life.rest();
    }
    append(life, ...snapshot(z(1), "prefix", [z(1)]));
    await life.rest();
    assert.equal(life.failure, "disk: ENOSPC: no space left");
    await life.store.close();
    assert.equal(disk.opened, 0);
  });
}

test("a disk that has no room for a first segment keeps no file open", async () => {
  const disk = new MemoryDisk();
  disk.failWhen((operation) => (operation === "write" ? new Error("ENOSPC: no space left") : null));
  await assert.rejects(live(disk), /ENOSPC/);
  assert.equal(disk.opened, 0);
});

test("a mistake in what hears of durable records is told as that, not as a failure of the disk", () => {
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", MISTAKEN], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  assert.match(run.stderr, /two leaders of epoch 3/);
  assert.doesNotMatch(run.stdout, /failed/);
  assert.notEqual(run.status, 0);
});

const MISTAKEN = `
  import { MemoryDisk } from "../../../testing/store/memory-disk.ts";
  import { promise } from "../../../testing/store/store-under-test.ts";
  import { Store } from "./store.ts";
  const store = await Store.open({
    disk: new MemoryDisk(),
    salt: () => 7,
    durable: () => { throw new Error("two leaders of epoch 3"); },
    failed: (reason) => console.log("failed: " + reason),
  });
  store.append([promise(1)]);
  store.flush();
`;
