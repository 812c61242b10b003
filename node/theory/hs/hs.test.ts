// lane: works, 1 s
// What is true of Hirschberg-Sinclair, counted by whoever carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../core/random.ts";
import { arrangements, bitReversed, rising } from "../arrangement.ts";
import { inAnyOrder } from "../in-any-order.ts";
import { inStep } from "../in-step.ts";
import { lcr } from "../lcr/entry.ts";
import { places } from "../lecture.ts";
import { agreed } from "../../testing/theory/agreed.ts";
import { carried, knownAt, type Outcome } from "../outcome.ts";
import type { Message } from "../process.ts";
import { shares } from "../shares.ts";
import { hs } from "./entry.ts";
import type { HsMessage, HsSlip } from "./hs.ts";

const cast = (ring: readonly number[], slip: HsSlip | null = null) =>
  hs.cast({ ids: ring, initiators: places(ring.length), seed: 0 }, slip);
const elect = (ring: readonly number[], slip: HsSlip | null = null): Outcome =>
  inStep({ ...cast(ring, slip), most: 100_000 });
const cost = (ring: readonly number[]): number => carried(elect(ring), "probe", "reply");

test("over all arrangements of up to seven: the least, the mean and the most, exactly", () => {
  for (const [n, least, over, under, most] of [
    [2, 10, 10, 1, 10],
    [3, 23, 23, 1, 23],
    [4, 28, 88, 3, 32],
    [5, 49, 158, 3, 55],
    [6, 54, 306, 5, 68],
    [7, 59, 1051, 15, 78],
  ] as const) {
    const costs = [...arrangements(rising(n))].map(cost);
    const all = costs.reduce((sum, one) => sum + one);
    assert.deepEqual([Math.min(...costs), Math.max(...costs)], [least, most]);
    assert.equal(all * under, over * costs.length, `the mean for n = ${n}, exactly`);
    assert.ok(Math.abs((hs.theory.mean?.of(n) ?? 0) - over / under) < 1e-9, `the formula for n = ${n}`);
    assert.equal(hs.theory.best?.of(n), least);
    if (n === 5) assert.equal(shares(costs), "49:8 53:4 55:12");
  }
});

/** How many probes and replies each phase costs. */
function byPhase(ring: readonly number[]): readonly number[] {
  const costs: number[] = [];
  const see = (message: HsMessage): void => {
    if (message.kind !== "elected") costs[message.phase] = (costs[message.phase] ?? 0) + 1;
  };
  inStep({ ...cast(ring), watch: ({ input }) => input.kind === "message" && see(input.message) });
  return costs;
}

test("the rings of the lectures, phase by phase", () => {
  assert.deepEqual(byPhase([3, 37, 19, 4, 25]), [15, 14, 16, 10]);
  assert.deepEqual(byPhase([12, 3, 32, 5, 80, 6]), [18, 18, 16, 12]);
  assert.deepEqual(byPhase([7, 1, 2, 6, 3, 5, 4]), [21, 20, 23, 14]);
  assert.equal(cost([1, 2, 3, 4, 5]), 49);
});

test("phase 0 costs 3n, the last phase is ceil(log2 n) and costs 2n", () => {
  fc.assert(
    fc.property(rings, (ring) => {
      const costs = byPhase(ring);
      assert.equal(costs.length - 1, Math.ceil(Math.log2(ring.length)));
      assert.deepEqual([costs[0], costs.at(-1)], [3 * ring.length, 2 * ring.length]);
    }),
  );
});

test("a ring of reversed bits costs 3nm + 2n for n = 2^m", () => {
  for (const m of [2, 3, 4, 5, 10])
    assert.equal(cost(bitReversed(2 ** m) ?? []), 3 * 2 ** m * m + 2 ** (m + 1));
});

test("it beats LCR in the worst case of large rings only: not on the average, and not up to seven", () => {
  const means = [2, 3, 7, 44, 79, 1000].map(
    (n) => [hs.theory.mean?.of(n) ?? 0, lcr.theory.mean?.of(n) ?? 0] as const,
  );
  for (const [ours, theirs] of means) assert.ok(ours > theirs);
  const worst = (n: number) => [hs.theory.worst?.of(n) ?? 0, lcr.theory.worst?.of(n) ?? 0] as const;
  for (let n = 79; n < 2000; n++) assert.ok(worst(n)[0] < worst(n)[1], `n = ${n}`);
  assert.ok(worst(78)[0] >= worst(78)[1], "78 is the last of which the bound does not say so");
});

/** Everybody follows the greatest, at no more than the bound and no less than the best. */
function isRight(ring: readonly number[], outcome: Outcome): void {
  agreed(outcome, ring, Math.max(...ring));
  const spent = carried(outcome, "probe", "reply");
  assert.ok(spent >= (hs.theory.best?.of(ring.length) ?? 0), `${spent} messages`);
  assert.ok(spent <= (hs.theory.worst?.of(ring.length) ?? 0), `${spent} messages`);
  assert.equal(carried(outcome, "elected"), ring.length);
}

const rings = fc.uniqueArray(fc.nat(1000), { minLength: 2, maxLength: 60 });

test("random rings: within the bounds, in the time said, and the order of events changes no count", () => {
  fc.assert(
    fc.property(rings, fc.nat(), (ring, seed) => {
      const inOrder = elect(ring);
      isRight(ring, inOrder);
      assert.equal(knownAt(inOrder)?.first, hs.theory.first?.of(ring.length));
      const any = inAnyOrder(cast(ring), new Random(seed));
      isRight(ring, any);
      assert.deepEqual(sorted(any), sorted(inOrder));
    }),
  );
});

const sorted = ({ messages }: Outcome): readonly (readonly [Message["kind"], number])[] =>
  [...messages].sort(([one], [other]) => one.localeCompare(other));

test("slips are caught", () => {
  for (const slip of Object.keys(hs.slips) as HsSlip[]) {
    const caught = () => {
      isRight([1, 2, 3, 4, 5], elect([1, 2, 3, 4, 5], slip));
      assert.equal(carried(elect([1, 2, 3, 4, 5], slip), "probe", "reply"), 49);
    };
    assert.throws(caught, assert.AssertionError, slip);
  }
});
