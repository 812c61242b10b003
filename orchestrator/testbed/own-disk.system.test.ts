// lane: works, 5 s
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { execa } from "execa";
import { newLabel } from "./label.ts";
import { OwnDisk } from "./own-disk.ts";
import { labelledFolder, reap } from "./reaper.ts";

const mounted = (folder: string): boolean =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .some((line) => line.split(" ")[1] === folder);

/** By a program of its own, which would hold us up else. */
const written = (file: string) =>
  execa("dd", ["if=/dev/zero", `of=${file}`, "bs=4k", "count=1", "conv=fsync"]);

test("a disk that is held lets nobody write and everybody read, and goes on when it is let go", async (t) => {
  const parent = mkdtempSync(join(tmpdir(), "polebench-disk-"));
  t.after(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, "p1");
  {
    await using disk = await OwnDisk.at(folder);
    await written(join(folder, "before"));
    await disk.hold();
    const during = written(join(folder, "during")).then(() => "done");
    const waiting = new Promise((resolve) => setTimeout(resolve, 300, "waiting"));
    assert.equal(await Promise.race([during, waiting]), "waiting");
    assert.ok(existsSync(join(folder, "before")));
    await disk.release();
    assert.equal(await during, "done");
  }
  assert.equal(mounted(folder), false);
  assert.deepEqual(readdirSync(folder), []);
});

test("what a killed run left mounted and held, the reaper lets go and removes", async () => {
  const nobody = newLabel().replace(/\.[0-9]+\./, ".999999.");
  const folder = join(labelledFolder("live", nobody), "p1");
  const disk = await OwnDisk.at(folder);
  await disk.hold();
  const stuck = written(join(folder, "file")).catch(() => "ended");
  assert.ok(reap().some((what) => folder.startsWith(what)));
  assert.deepEqual([mounted(folder), existsSync(folder)], [false, false]);
  await stuck;
});
