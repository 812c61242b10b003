// lane: works, 3 s
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mutant } from "../../../core/mutant.ts";
import { liveThrough } from "./run.ts";

test("the same seed is the same run, byte for byte", () => {
  for (const seed of [2, 5, 23]) {
    const first = liveThrough(seed);
    const second = liveThrough(seed);
    assert.equal(first.fingerprint, second.fingerprint);
    assert.equal(first.transactions, second.transactions);
    assert.equal(first.transcript, second.transcript);
  }
});

test("another seed is another world", () => {
  assert.notEqual(liveThrough(2).fingerprint, liveThrough(5).fingerprint);
});

test("what a run found is not nothing", () => {
  const { violation, transactions, answers, epochs } = liveThrough(6, null, "pole");
  assert.equal(violation, null);
  assert(transactions > 100, `${transactions} transactions`);
  assert(answers > transactions, `${answers} answers`);
  assert(epochs > 0);
});

/** A mistake that the first few worlds meet, and what one of them must take it for. */
const CAUGHT: readonly (readonly [Mutant, RegExp])[] = [
  ["acknowledge-before-durable", /which only .* had on disk/],
  ["deliver-before-commit", /which only nobody had on disk/],
  ["reuse-epoch", /both lead epoch/],
  ["snapshot-without-last", /which nobody delivered|differ after/],
  ["reorder-commits", /where p\d had delivered|delivered 0x\w+ after 0x\w+/],
];

for (const [mutant, taken] of CAUGHT) {
  test(`the swarm takes ${mutant} for what it is`, () => {
    const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
    assert(seeds.some((seed) => taken.test(liveThrough(seed, mutant).violation ?? "")));
  });
}
