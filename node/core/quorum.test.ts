import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { majority, reachedByQuorum } from "./quorum.ts";

test("a quorum is more than half", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(majority), [1, 2, 2, 3, 3, 4, 4]);
});

test("what a quorum has reached is the middle of what all have, or just below it", () => {
  assert.equal(reachedByQuorum([9, 7, 7, 4, 2]), 7);
  assert.equal(reachedByQuorum([5, 0, 0]), 0);
  assert.equal(reachedByQuorum([5, 3]), 3);
});

test("it is what sorting would find", () => {
  const servers = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 7 });
  const sorted = (reached: number[]) => [...reached].sort((a, b) => b - a)[majority(reached.length) - 1];
  fc.assert(fc.property(servers, (reached) => assert.equal(reachedByQuorum(reached), sorted(reached))));
});
