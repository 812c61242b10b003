// lane: works, 1 s
// What is true of LCR, counted by whoever carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../core/random.ts";
import { arrangements, falling, rising } from "../arrangement.ts";
import { inAnyOrder } from "../in-any-order.ts";
import { inStep } from "../in-step.ts";
import { places } from "../lecture.ts";
import { agreed } from "../../testing/theory/agreed.ts";
import { carried, knownAt, type Outcome } from "../outcome.ts";
import { shares } from "../shares.ts";
import { lcr } from "./entry.ts";
import type { LcrSlip } from "./lcr.ts";

const cast = (ring: readonly number[], slip: LcrSlip | null = null) =>
  lcr.cast({ ids: ring, initiators: places(ring.length), seed: 0 }, slip);
const elect = (ring: readonly number[], slip: LcrSlip | null = null): Outcome =>
  inStep({ ...cast(ring, slip), most: 1000 });
const tokens = (ring: readonly number[]): number => carried(elect(ring), "token");

test("over all arrangements of up to seven: 2n - 1 at least, n H(n) in the mean, n(n + 1)/2 at most", () => {
  const means = { 2: [3, 1], 3: [11, 2], 4: [25, 3], 5: [137, 12], 6: [147, 10], 7: [363, 20] } as const;
  const spread = { 3: "5:1 6:1", 4: "7:1 8:3 9:1 10:1", 5: "9:1 10:6 11:7 12:5 13:3 14:1 15:1" };
  for (const [n, [over, under]] of Object.entries(means).map(([n, mean]) => [Number(n), mean] as const)) {
    const costs = [...arrangements(rising(n))].map(tokens);
    const all = costs.reduce((sum, cost) => sum + cost);
    assert.deepEqual([Math.min(...costs), Math.max(...costs)], [2 * n - 1, (n * (n + 1)) / 2]);
    assert.equal(all * under, over * costs.length, `the mean for n = ${n}, exactly`);
    assert.ok(Math.abs((lcr.theory.mean?.of(n) ?? 0) - over / under) < 1e-9);
    if (n in spread) assert.equal(shares(costs), spread[n as keyof typeof spread]);
  }
});

test("the rings of the lectures, along the way and against it", () => {
  const both = (...ring: number[]) => [tokens(ring), tokens(ring.toReversed())];
  assert.deepEqual(both(3, 37, 19, 4, 25), [11, 11]);
  assert.deepEqual(both(12, 3, 32, 5, 80, 6), [13, 15]);
  assert.deepEqual(both(1, 2, 3, 4, 5), [9, 15], "rising along the way is the best case, falling the worst");
});

test("in step the first knows at n, the last at 2n - 1, and n messages announce it", () => {
  for (const n of [2, 5, 33]) {
    const outcome = elect(falling(n));
    assert.deepEqual(knownAt(outcome), { first: n, last: 2 * n - 1 });
    assert.equal(carried(outcome, "elected"), n);
  }
});

/** Everybody follows the greatest, and what it cost is what the arrangement alone says. */
function isRight(ring: readonly number[], outcome: Outcome): void {
  agreed(outcome, ring, Math.max(...ring));
  const hops = ring.map((id, at) => {
    const onward = [...ring.slice(at + 1), ...ring.slice(0, at + 1)];
    return onward.findIndex((other) => other >= id) + 1;
  });
  assert.deepEqual(Object.fromEntries(outcome.messages), {
    token: hops.reduce((all, one) => all + one),
    elected: ring.length,
  });
}

const rings = fc.uniqueArray(fc.nat(1000), { minLength: 2, maxLength: 60 });

test("the arrangement alone decides, whatever the order of events and whoever begins", () => {
  fc.assert(
    fc.property(rings, fc.nat(), fc.nat(59), (ring, seed, first) => {
      isRight(ring, elect(ring));
      isRight(ring, inAnyOrder(cast(ring), new Random(seed)));
      // The others are woken by the first message.
      isRight(ring, inAnyOrder({ ...cast(ring), initiators: [first % ring.length] }, new Random(seed)));
    }),
  );
});

test("slips are caught", () => {
  for (const slip of Object.keys(lcr.slips) as LcrSlip[]) {
    assert.throws(
      () => isRight([3, 37, 19, 4, 25], elect([3, 37, 19, 4, 25], slip)),
      assert.AssertionError,
      slip,
    );
  }
});
