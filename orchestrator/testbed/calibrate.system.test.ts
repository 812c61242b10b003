// lane: waits, 6 s
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import type { Certificate } from "./network/certificate.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

test("calibrate prints a certificate, stores the same, and its verdict is how it ends", () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const words = [MAIN, "calibrate", "2dc", "--rounds", "50", "--bandwidth", "1", "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  const certificate = JSON.parse(stdout) as Certificate;
  // Whether it is valid depends on what else this machine does.
  assert.equal(status, certificate.verdict === "valid" ? 0 : 1, stderr);
  assert.equal(certificate.verdict === "valid", certificate.reasons.length === 0);
  const store = join(folder, "reports", "calibration");
  assert.deepEqual(readdirSync(store), [`2dc-${certificate.engine}-netns.json`]);
  const stored: unknown = JSON.parse(readFileSync(join(store, readdirSync(store)[0] ?? ""), "utf8"));
  assert.deepEqual(stored, certificate);
  const pairs = certificate.ways.map(({ from, to }) => `${from} ${to}`);
  assert.deepEqual(pairs.toSorted(), ["cern cern", "cern tud", "tud cern", "tud tud"]);
  const there = certificate.ways.find(({ from, to }) => from === "tud" && to === "cern") ?? assert.fail();
  assert.ok(there.asked.mean === 10_375 && there.achieved.p50 > 10_000, "a packet cannot be too early");
  assert.ok((there.bandwidth ?? 0) > 1e6, "a flow was measured too");
});
