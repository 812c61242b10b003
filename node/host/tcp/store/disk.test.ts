import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { serverId } from "../../../core/identity.ts";
import { epoch, zxid } from "../../../core/zxid.ts";
import { type Durability, openDisk } from "./disk.ts";
import { Store } from "./store.ts";

const checkpoint = (chunks: number) =>
  Array.from({ length: chunks }, (_, index) => ({
    kind: "snapshot" as const,
    zxid: zxid(epoch(1), 5),
    replaces: "prefix" as const,
    index,
    last: index === chunks - 1,
    bytes: new Uint8Array(65_000).fill(index),
  }));

test("a new data folder and those above it that are new are on the disk before anything is in them", (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-disk-"));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const synced: string[] = [];
  const { fsyncSync } = fs;
  t.mock.method(fs, "fsyncSync", (descriptor: number) => {
    synced.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`));
    fsyncSync(descriptor);
  });
  const at = path.join(root, "deep", "data", "polebench-1");
  openDisk(at, "none");
  assert.deepEqual(synced, []);
  fs.rmSync(path.join(root, "deep"), { recursive: true });
  openDisk(at, "fsync");
  assert.deepEqual(synced.splice(0), [path.join(root, "deep", "data"), path.join(root, "deep"), root]);
  openDisk(at, "fsync");
  assert.deepEqual(synced, [path.join(root, "deep", "data")], "whoever made it may have died before it was");
});

for (const durability of ["fsync", "none"] as const satisfies readonly Durability[]) {
  test(`on a real disk, ${durability}: promise and snapshot are there in the next life`, async (t) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-disk-"));
    const directory = path.join(folder, "deep", "data");
    t.after(() => fs.rmSync(folder, { recursive: true }));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const open = (durable: (upTo: number) => void): Promise<Store> =>
      Store.open({
        disk: openDisk(directory, durability),
        durable,
        failed: reject,
        salt: () => 99,
        segmentSizes: { first: 1 << 14, largest: 1 << 16 },
      });
    const store = await open((upTo) => upTo === 41 && resolve());
    store.append([{ kind: "promise", epoch: epoch(2), leader: serverId(3) }, ...checkpoint(40)]);
    store.flush();
    await promise;
    await store.close();

    const next = await open(() => {});
    assert.deepEqual(next.recovered.promise, { epoch: 2, leader: 3 });
    const chunks = [...(next.recovered.snapshot?.chunks ?? [])];
    assert.deepEqual(
      chunks.map((chunk) => chunk[0]),
      Array.from({ length: 40 }, (_, index) => index),
    );
    assert.ok(chunks.every((chunk) => chunk.length === 65_000));
    await next.close();
  });
}
