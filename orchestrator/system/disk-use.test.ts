import assert from "node:assert/strict";
import test from "node:test";
import { bytesOf } from "./disk-use.ts";

const DISKSTATS = ` 254       0 vda 900 1 7200 30 500 2 4096 60 0 70 90 0 0 0 0
 254       1 vda1 900 1 7200 30 500 2 1024 60 0 70 90 0 0 0 0
`;

test("what a disk was written is found by its number", () => {
  assert.equal(bytesOf(254 << 8, DISKSTATS), 4096 * 512);
  assert.equal(bytesOf((254 << 8) | 1, DISKSTATS), 1024 * 512);
});

test("what lies in memory was written to no disk", () => {
  assert.equal(bytesOf(42, DISKSTATS), null);
});
