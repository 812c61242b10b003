import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
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

/** A folder for a test. */
function folderOf(t: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-disk-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}
const letters = (text: string): Uint8Array => new TextEncoder().encode(text);

test("what is in the folder is its owner's alone, also in one that was there before", async (t) => {
  const folder = folderOf(t);
  const [fresh, open] = [path.join(folder, "fresh"), path.join(folder, "open")];
  fs.mkdirSync(open);
  fs.chmodSync(open, 0o755);
  for (const directory of [fresh, open]) {
    const disk = openDisk(directory, "none");
    await (await disk.create("file", "through")).close();
    const mode = (name: string): number => fs.statSync(name).mode & 0o777;
    assert.deepEqual([mode(directory), mode(path.join(directory, "file"))], [0o700, 0o600]);
    assert.equal(disk.directory, directory);
  }
});

test("a disk that takes a part of what is written, or gives a part of it, is asked again", async (t) => {
  const disk = openDisk(folderOf(t), "none");
  const { open } = fs.promises;
  const { readSync } = fs;
  t.mock.method(fs.promises, "open", async (...of: Parameters<typeof open>) => {
    const handle = await open(...of);
    const write = handle.write.bind(handle) as (
      bytes: Uint8Array,
      from: number,
      length: number,
      position: number,
    ) => Promise<{ bytesWritten: number; buffer: Uint8Array }>;
    t.mock.method(handle, "write", (bytes: Uint8Array, from: number, length: number, position: number) =>
      write(bytes, from, Math.min(3, length), position),
    );
    return handle;
  });
  t.mock.method(
    fs,
    "readSync",
    (descriptor: number, bytes: Uint8Array, from: number, length: number, position: number) =>
      readSync(descriptor, bytes, from, Math.min(4, length), position),
  );
  const file = await disk.create("file", "through");
  await file.write(letters("0123456789"), 0);
  await file.write(letters("abcdefg"), 12);
  await file.close();
  const reader = disk.open("file");
  assert.equal(reader.size, 19);
  const read = (position: number, length: number): string =>
    new TextDecoder().decode(reader.read(position, length));
  assert.deepEqual(
    [read(0, 10), read(12, 7), read(3, 5), read(14, 99), read(19, 5), read(40, 5)],
    ["0123456789", "abcdefg", "34567", "cdefg", "", ""],
  );
  reader.close();
});

test("a file that became shorter while it was read gives what there is", (t) => {
  const folder = folderOf(t);
  const disk = openDisk(folder, "none");
  fs.writeFileSync(path.join(folder, "file"), "0123456789");
  const opened = (): number => fs.readdirSync("/proc/self/fd").length;
  const before = opened();
  const reader = disk.open("file");
  fs.truncateSync(path.join(folder, "file"), 6);
  assert.equal(new TextDecoder().decode(reader.read(2, 8)), "2345");
  reader.close();
  assert.equal(opened(), before);
});

test("writing over a file leaves the rest of it, and writing a new one does not", async (t) => {
  const folder = folderOf(t);
  const disk = openDisk(folder, "none");
  const holds = (): string => fs.readFileSync(path.join(folder, "file"), "utf8");
  fs.writeFileSync(path.join(folder, "file"), "0123456789");
  const over = await disk.create("file", "over");
  await over.write(letters("ab"), 4);
  await over.close();
  assert.equal(holds(), "0123ab6789");
  const fresh = await disk.create("file", "buffered");
  await fresh.write(letters("xy"), 0);
  await fresh.close();
  assert.equal(holds(), "xy");
  await assert.rejects(disk.create("other", "over"), /ENOENT/);
});

test("a write is on the disk when it is done, unless others say when", async (t) => {
  const { O_DSYNC } = fs.constants;
  const { open } = fs.promises;
  const told: string[] = [];
  t.mock.method(fs.promises, "open", async (...of: Parameters<typeof open>) => {
    const handle = await open(...of);
    told.push(typeof of[1] === "number" && (of[1] & O_DSYNC) !== 0 ? "synced" : "plain");
    for (const how of ["datasync", "sync"] as const) {
      const real = handle[how].bind(handle);
      t.mock.method(handle, how, () => {
        told.push(how);
        return real();
      });
    }
    return handle;
  });
  const tellings = async (durability: Durability, mode: "through" | "buffered"): Promise<string[]> => {
    const disk = openDisk(folderOf(t), durability);
    const file = await disk.create("file", mode);
    await file.sync();
    await file.close();
    await disk.truncate("file", 0);
    await disk.sync();
    return told.splice(0);
  };
  assert.deepEqual(await tellings("fsync", "through"), ["synced", "plain", "sync", "plain", "sync"]);
  assert.deepEqual(await tellings("fsync", "buffered"), [
    "plain",
    "datasync",
    "plain",
    "sync",
    "plain",
    "sync",
  ]);
  assert.deepEqual(await tellings("none", "through"), ["plain", "plain"]);
  assert.deepEqual(await tellings("none", "buffered"), ["plain", "plain"]);
});

test("a folder above that may not be looked into is passed over, what else goes wrong is told", (t) => {
  const { openSync } = fs;
  const asked: string[] = [];
  let code = "EACCES";
  const mocked = t.mock.method(fs, "openSync", (...of: Parameters<typeof openSync>) => {
    asked.push(String(of[0]));
    if (asked.length > 1) throw Object.assign(new Error(`${code}: made`), { code });
    return openSync(...of);
  });
  const folder = folderOf(t);
  openDisk(path.join(folder, "a", "b", "c"), "fsync");
  assert.deepEqual(asked.splice(0), [path.join(folder, "a", "b"), path.join(folder, "a")]);
  code = "EMFILE";
  assert.throws(() => openDisk(path.join(folder, "d", "e", "f"), "fsync"), /EMFILE/);
  mocked.mock.restore();
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
