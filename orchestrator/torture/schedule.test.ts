import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "#node/core/random.ts";
import { drawIncident, nameOf } from "./schedule.ts";

const drawn = (seed: number, disks: boolean): ReturnType<typeof drawIncident>[] => {
  const random = new Random(seed);
  return Array.from({ length: 500 }, () => drawIncident(random, { sessionTimeoutMs: 2000, disks }));
};

test("one seed is one schedule", () => {
  assert.deepEqual(drawn(1, true), drawn(1, true));
  assert.notDeepEqual(drawn(1, true), drawn(2, true));
});

test("more than ten kinds of fault are drawn, some of them longer than a session lives", () => {
  const incidents = drawn(1, true);
  assert.ok(new Set(incidents.map(({ fault }) => nameOf(fault))).size > 10);
  assert.ok(incidents.some(({ fault, lastsMs }) => fault.kind === "pause" && lastsMs > 2000));
});

test("disks that cannot be made to fail are left alone", () => {
  assert.ok(drawn(1, false).every(({ fault }) => fault.kind !== "disk"));
});
