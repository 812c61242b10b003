import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { FolderLock } from "./folder-lock.ts";

function folderFor(t: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-lock-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

test("a folder is one server's, until that server lets go", (t) => {
  const folder = folderFor(t);
  const first = FolderLock.take(folder);
  assert.throws(() => FolderLock.take(folder), /: another server is running here\. Stop it, or give/);
  first.release();
  FolderLock.take(folder).release();
});

test("a process that is killed lets go, whatever it was doing", async (t) => {
  const folder = folderFor(t);
  const program = `
    const { FolderLock } = await import(${JSON.stringify(import.meta.resolve("./folder-lock.ts"))});
    globalThis.lock = FolderLock.take(${JSON.stringify(folder)});
    process.stdout.write("taken");
    setInterval(() => {}, 1000);
  `;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => holder.kill("SIGKILL"));
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  assert.throws(() => FolderLock.take(folder), /another server/);
  holder.kill("SIGKILL");
  await ended;
  FolderLock.take(folder).release();
  assert.deepEqual(fs.readdirSync(folder), ["lock"]);
});
