import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Random } from "#node/core/random.ts";
import { fuzz, shares } from "./fuzz.ts";
import { mutated } from "./mutation.ts";
import { TARGETS, type TargetName } from "./target.ts";

const names = Object.keys(TARGETS) as TargetName[];

for (const name of names) {
  test(`${name}: a few hundred inputs break nothing, and good ones are taken`, async () => {
    const target = await TARGETS[name]();
    for (const seed of target.seeds) await target.feed(seed);
    const { failure } = await fuzz(name, 1, { ms: Infinity, inputs: 300 });
    assert.equal(failure?.reason, undefined);
  });
}

const corpus = new URL("corpus/", import.meta.url);
for (const file of readdirSync(corpus).filter((entry) =>
  names.some((name) => entry.startsWith(`${name}-`)),
)) {
  test(`${file}, which broke something once, does not any more`, async () => {
    const target = await TARGETS[file.split("-")[0] as TargetName]();
    await target.feed(Uint8Array.from(readFileSync(new URL(file, corpus))));
  });
}

test("one seed gives the same inputs again", () => {
  const seeds = [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)];
  const [first, second] = [new Random(7), new Random(7)];
  for (let count = 0; count < 100; count++) {
    assert.deepEqual(mutated(seeds, first), mutated(seeds, second));
  }
});
test("a target that is ten times slower gets ten times the time", () => {
  const [slow = 0, fast = 0] = shares([1, 10]);
  assert.ok(Math.abs(slow / fast - 10) < 1e-9);
  assert.equal(slow + fast, 1);
  assert.ok((shares([0, 10])[1] ?? 0) > 0);
});
