import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "./config.ts";
import { openDisk } from "./host/tcp/store/disk.ts";
import { secretsFor } from "./secrets.ts";

function folderFor(t: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "polebench-secrets-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

function passwordOf(session: number, ...words: readonly string[]): string {
  const reading = readConfig({ arguments: words, environment: {}, readFile: () => "" });
  assert.ok(reading.kind === "config", JSON.stringify(reading));
  return Buffer.from(secretsFor(reading.config).password(session)).toString("hex");
}

const ensemble = ["--servers", "1=127.0.0.1:1,2=127.0.0.1:2"];

test("all servers with one secret give a session one password, and with another secret another", () => {
  const password = passwordOf(7, ...ensemble, "--id", "1", "--secret", "a secret of an ensemble");
  assert.equal(passwordOf(7, ...ensemble, "--id", "2", "--secret", "a secret of an ensemble"), password);
  assert.notEqual(passwordOf(7, ...ensemble, "--id", "2", "--secret", "the secret of another"), password);
  assert.notEqual(passwordOf(8, ...ensemble, "--id", "1", "--secret", "a secret of an ensemble"), password);
});

test("a server alone makes itself a key, keeps it, and nobody else can read it", (t) => {
  const [mine, other] = [folderFor(t), folderFor(t)];
  const password = passwordOf(7, "--data-dir", mine);
  assert.equal(passwordOf(7, "--data-dir", mine), password);
  assert.notEqual(passwordOf(7, "--data-dir", other), password);
  assert.equal(fs.statSync(path.join(mine, "session-key")).mode & 0o777, 0o600);
});

test("what clients store is for the server's own user: 0700 and 0600", async (t) => {
  const folder = path.join(folderFor(t), "data");
  const disk = openDisk(folder, "none");
  const file = await disk.create("log.1", "through");
  await file.close();
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700);
  assert.equal(fs.statSync(path.join(folder, "log.1")).mode & 0o777, 0o600);
});
