import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openDisk } from "../../host/tcp/store/disk.ts";
import { volatileDisk } from "./volatile-disk.ts";

const PLATTER_MS = 2;

test("new names are on the disk once the folder is synced, whoever else syncs it", async (t) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-volatile-"));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  const disk = volatileDisk(openDisk(directory, "fsync"), "fsync", PLATTER_MS);
  const names = Array.from({ length: 20 }, (_, index) => String(index));
  for (const name of names) await (await disk.create(`${name}.unfinished`, "through")).close();
  for (const name of names) await disk.rename(`${name}.unfinished`, name);
  assert.ok(disk.names().every((name) => name.endsWith(".unfinished")));

  await Promise.all([disk.sync(), disk.sync(), ...names.slice(0, 5).map((name) => disk.remove(name))]);
  assert.deepEqual(disk.names().toSorted(), names.slice(5).toSorted());
});
