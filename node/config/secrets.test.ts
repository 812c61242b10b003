import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "./config.ts";
import { openDisk } from "../host/tcp/store/disk.ts";
import { FolderLock } from "../host/tcp/store/folder-lock.ts";
import { careless, secretsFor } from "./secrets.ts";
import type { Config } from "./settings.ts";

function folderFor(t: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-secrets-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

function configOf(...words: readonly string[]): Config {
  const reading = readConfig({ arguments: words, environment: {}, readFile: () => "sixteen letters!" });
  assert.ok(reading.kind === "config", JSON.stringify(reading));
  return reading.config;
}

test("passwords are sixteen bytes, never the same, and every server knows them by one seal", () => {
  const [here, there] = [secretsFor(configOf()), secretsFor(configOf("--cluster", "another"))];
  const passwords = Array.from({ length: 1000 }, () => here.password());
  assert.ok(passwords.every(({ length }) => length === 16));
  const seals = new Set(passwords.map((password) => here.seal(password)));
  assert.equal(seals.size, passwords.length);
  for (const password of passwords) assert.ok(seals.has(there.seal(password)));
  const [first = new Uint8Array(0)] = passwords;
  assert.match(here.seal(first), /^[0-9a-f]{32}$/);
  assert.notEqual(here.seal(first), Buffer.from(first).toString("hex"));
});

const modeOf = (...parts: readonly string[]): number => fs.statSync(path.join(...parts)).mode & 0o777;

test("what clients store is for the server's own user: 0700 and 0600", async (t) => {
  const folder = path.join(folderFor(t), "data");
  const disk = openDisk(folder, "none");
  const lock = FolderLock.take(folder);
  t.after(() => lock.release());
  const file = await disk.create("log.1", "through");
  await file.close();
  assert.equal(modeOf(folder), 0o700);
  assert.deepEqual(
    fs.readdirSync(folder).map((name) => [name, modeOf(folder, name)]),
    [
      ["lock", 0o600],
      ["log.1", 0o600],
    ],
  );
});

test("a data folder that everybody may enter is closed before anything is written", (t) => {
  const folder = folderFor(t);
  fs.chmodSync(folder, 0o755);
  openDisk(folder, "none");
  assert.equal(modeOf(folder), 0o700);
});

test("a file of secrets that everybody can read is warned about", (t) => {
  const file = path.join(folderFor(t), "secret");
  fs.writeFileSync(file, "sixteen letters!");
  for (const [mode, warnings] of [
    [0o644, [`${file}: everybody on this machine can read it; chmod 600 ${file}`]],
    [0o640, []],
    [0o600, []],
  ] as const) {
    fs.chmodSync(file, mode);
    for (const flag of ["--secret-file", "--pages-token-file", "--client-tls=yes --tls-cert=c --tls-key"]) {
      assert.deepEqual(careless(configOf(...flag.split(" "), file)), warnings, flag);
    }
  }
  assert.deepEqual(careless(configOf()), []);
});
