import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { serverId } from "#node/core/identity.ts";
import type { Recovered } from "#node/core/record.ts";
import { openDisk } from "#node/host/tcp/store/disk.ts";
import { Store } from "#node/host/tcp/store/store.ts";
import { DATA_FOLDER } from "#node/service.ts";
import { Tree } from "#node/tree/tree.ts";
import { writeState } from "./state.ts";

const folder = mkdtempSync(join(tmpdir(), "live-state-"));
after(() => rmSync(folder, { recursive: true }));
const dataDirs = ["p4", "p5"].map((name) => join(folder, name));

async function recoveredFrom(dataDir: string): Promise<Recovered> {
  const disk = openDisk(join(dataDir, DATA_FOLDER), "fsync");
  const store = await Store.open({ disk, salt: () => 7, durable: () => {}, failed: assert.fail });
  const { recovered } = store;
  await store.close();
  return recovered;
}

function treeOf({ snapshot }: Recovered): Tree {
  assert.ok(snapshot !== null);
  const tree = new Tree();
  const restoration = tree.restore(snapshot.zxid);
  for (const chunk of snapshot.chunks) restoration.accept(chunk);
  restoration.finish();
  return tree;
}

test("servers that start on it know one state and one epoch, and no session is left open", async () => {
  await writeState(3e6, serverId(5), { present: dataDirs, absent: [] });
  const [four, five] = await Promise.all(dataDirs.map(recoveredFrom));
  assert.ok(four !== undefined && five !== undefined);
  assert.deepEqual([four.epoch, four.promise, four.transactions], [1, { epoch: 1, leader: 5 }, []]);
  assert.equal(four.snapshot?.zxid, five.snapshot?.zxid);
  const trees = [treeOf(four), treeOf(five)] as const;
  assert.equal(trees[0].digest(), trees[1].digest());
  assert.equal(trees[0].state.sessions.size, 0);
});

test("snapshots are shared on the disk, logs are each one's own", () => {
  const [a = "", b = ""] = dataDirs.map((dir) => join(dir, DATA_FOLDER));
  const inode = (dir: string, name: string): number => statSync(join(dir, name)).ino;
  assert.equal(inode(a, "snapshot.0000000001"), inode(b, "snapshot.0000000001"));
  assert.ok(statSync(join(a, "snapshot.0000000001")).size > 3e6);
  assert.notEqual(inode(a, "log.0000000001"), inode(b, "log.0000000001"));
});

test("who is outdated knows the epoch and nothing of what was written in it", async () => {
  const [late, empty] = ["p1", "p2"].map((name) => join(folder, name));
  assert.ok(late !== undefined && empty !== undefined);
  await writeState(0, serverId(5), { present: [empty], absent: [late] });
  for (const dataDir of [late, empty]) {
    const { epoch, promise, snapshot, transactions } = await recoveredFrom(dataDir);
    assert.deepEqual([epoch, promise, snapshot, transactions], [1, { epoch: 1, leader: 5 }, null, []]);
  }
});
