import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { appendRecord, type Fuzzed, readRecord } from "./record.ts";

const fuzzed: Fuzzed = {
  target: "peer",
  date: "2026-11-18",
  commit: "abc",
  seed: 1,
  seconds: 90,
  inputs: 1_500_000,
  slowestMs: 12,
  grownBytes: 200_000,
  found: 5,
  reached: 12_345,
  failure: null,
};

test("a record gives back what was written, and its page sums it up by target", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-fuzz-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const failed = { ...fuzzed, target: "log", seed: 2, failure: "Error: too long\n  at feed" };
  const told = [fuzzed, { ...fuzzed, seed: 2, slowestMs: 40, found: 3 }, failed];
  for (const one of told) appendRecord(folder, one);
  assert.deepEqual(readRecord(join(folder, "runs.ndjson")), told);
  const page = readFileSync(join(folder, "README.md"), "utf8");
  assert.match(page, /^# Fuzzing: 4,500,000 inputs/);
  assert.match(
    page,
    /\| peer \| 2 \| 1, 2 \| abc \| 3\.0 \| 3,000,000 \| 40 ms \| 0\.2 MB \| 5 \| 12\.3 kB \| 0 \|/,
  );
  assert.match(page, /\| log \| 1 \| 2 \| .* \| 1 \|/);
  assert.match(page, /- log, commit abc, seed 2: Error: too long$/m);
});
