import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "#node/core/random.ts";
import { drawIncident, STRIKES, type Strike, type Incident, nameOf, BENDING } from "./schedule.ts";

const drawn = (seed: number, kinds: readonly Strike[] = STRIKES): readonly Incident[] => {
  const random = new Random(seed);
  return Array.from({ length: 500 }, () => drawIncident(random, { sessionTimeoutMs: 2000, kinds }));
};

test("one seed is one schedule", () => {
  assert.deepEqual(drawn(1), drawn(1));
  assert.notDeepEqual(drawn(1), drawn(2));
});

test("what a fault draws when it strikes shifts nothing: it has a seed of its own", () => {
  const seeds = drawn(1).flatMap(({ strikes }) => strikes.map(({ seed }) => seed));
  assert.equal(new Set(seeds).size, seeds.length);
});

test("every kind of fault is drawn, and several at once", () => {
  assert.equal(new Set(drawn(1).map(nameOf)).size, STRIKES.length + 1);
});

test("some pauses are longer than a session lives, some too short for another leader", () => {
  const pauses = drawn(1).filter(({ strikes }) => strikes.some(({ kind }) => kind === "pause"));
  assert.ok(pauses.some(({ lastsMs }) => lastsMs > 2000));
  assert.ok(pauses.some(({ lastsMs }) => lastsMs < 500));
});

test("what is not asked for does not happen", () => {
  const kinds = STRIKES.filter((kind) => !BENDING.has(kind));
  assert.ok(drawn(1, kinds).every(({ strikes }) => strikes.every(({ kind }) => kinds.includes(kind))));
  assert.deepEqual(new Set(drawn(1, ["pause"]).map(nameOf)), new Set(["pause"]));
});

test("a disk is wiped only while nothing else is wrong", () => {
  const mixed = drawn(1).filter(({ strikes }) => strikes.length > 1);
  assert.ok(mixed.length > 0);
  assert.ok(mixed.every(({ strikes }) => strikes.every(({ kind }) => kind !== "wiped disk")));
});
