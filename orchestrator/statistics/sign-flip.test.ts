import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { equivalenceP, samenessOf, within } from "./equivalence.ts";
import { middleOf } from "./middle.ts";
import { leastP, pairsNeeded, shiftOf, signFlip, signFlipAbove } from "./sign-flip.ts";

suite("chance, or a difference?", () => {
  test("three pairs that differ by 1, 2 and 3: of eight sums two are as far from 0", () => {
    assert.equal(signFlip([1, 2, 3]), 2 / 8);
    assert.equal(signFlipAbove([1, 2, 3]), 1 / 8);
  });

  // Sums of +-1 +-2 +-3 +-4: at least 8 are 10 and 8, at most -8 as many.
  test("four pairs, of which the smallest points the other way", () => {
    assert.equal(signFlip([-1, 2, 3, 4]), 4 / 16);
    assert.equal(signFlipAbove([-1, 2, 3, 4]), 2 / 16);
    assert.equal(signFlipAbove([1, -2, -3, -4]), 15 / 16);
  });

  test("pairs that do not differ are chance, and so is noise", () => {
    assert.equal(signFlip([0, 0, 0, 0, 0, 0]), 1);
    assert.ok(signFlip([1, -1, 2, -2, 0.5]) > 0.5);
  });

  test("five pairs never differ, whatever they show; six may", () => {
    assert.equal(signFlip([9, 9, 9, 9, 9]), 0.0625);
    assert.equal(signFlip([9, 9, 9, 9, 9, 9]), 0.03125);
    assert.deepEqual([5, 6].map(leastP), [0.0625, 0.03125]);
  });

  test("who makes more comparisons needs more pairs", () => {
    assert.deepEqual([1, 3, 7, 45].map(pairsNeeded), [6, 7, 9, 11]);
  });

  test("sums that differ by rounding only are equal", () => {
    assert.equal(signFlip([0.1, 0.2, 0.3, 0.1 + 0.2, 0.6, 0.7]), 2 / 64);
  });

  test("of more pairs than can be gone through, combinations are drawn", () => {
    const pairs = Array.from({ length: 30 }, (_, index) => (index % 3) - 0.9);
    const drawn = signFlip(pairs);
    // The sum is 3, its deviation under chance the root of the sum of squares.
    const deviations = 3 / Math.sqrt(pairs.reduce((sum, pair) => sum + pair ** 2, 0));
    assert.ok(Math.abs(drawn - 0.52) < 0.05, `${drawn} of ${deviations} deviations`);
    assert.equal(signFlip(pairs.map((pair) => pair + 5)), 1 / 100_000);
  });

  test("the interval excludes 0 exactly where the test sees a difference", () => {
    const others = [4, 7, 1, 3, 9, 2, 6];
    for (let least = -6; least <= 6; least += 0.5) {
      const pairs = [...others, least];
      const { low, high } = shiftOf(pairs);
      assert.ok(low !== null && high !== null);
      assert.equal(low > 0 || high < 0, signFlip(pairs) <= 0.05, `${least}: ${low} to ${high}`);
    }
    assert.deepEqual(shiftOf([1, 2, 3, 4, 5]), { mean: 3, low: null, high: null });
    assert.deepEqual(shiftOf([1, 2, 3, 4, 5, 6]), { mean: 3.5, low: 1, high: 6 });
  });
});

suite("the middle of several runs", () => {
  test("six are the fewest of which an interval is told, and it is all of them", () => {
    assert.deepEqual(middleOf([3, 1, 2, 5, 4]), { middle: 3, low: null, high: null, count: 5 });
    assert.deepEqual(middleOf([3, 1, 2, 6, 5, 4]), { middle: 3.5, low: 1, high: 6, count: 6 });
    assert.equal(middleOf([]), null);
  });

  // From any printed table of binomial intervals of a median: ranks 2 of 9, 3 of 12, 6 of 20, 40 of 100.
  for (const [count, rank] of [
    [8, 1],
    [9, 2],
    [12, 3],
    [20, 6],
    [100, 40],
  ] as const)
    test(`of ${count} runs it reaches from the ${rank}. to the ${count + 1 - rank}.`, () => {
      const found = middleOf(Array.from({ length: count }, (_, index) => index + 1));
      assert.deepEqual([found?.low, found?.high], [rank, count + 1 - rank]);
    });
});

suite("the same?", () => {
  const pairs = (...ratios: number[]) => ratios.map((ratio) => [100 * ratio, 100] as const);

  test("five pairs within the margin are the same, and four are not enough", () => {
    const near = pairs(1.01, 0.99, 1.02, 0.98, 1);
    assert.equal(equivalenceP(near, within(0.05)), 1 / 32);
    assert.equal(samenessOf(equivalenceP(near, within(0.05)), 5), "same");
    assert.equal(samenessOf(equivalenceP(near.slice(1), within(0.05)), 4), "not enough runs");
  });

  test("who scatters beyond the margin is not shown to be the same, though no difference is seen", () => {
    const wide = pairs(1.3, 0.7, 1.2, 0.8, 1.1, 0.9);
    assert.equal(signFlip(wide.map(([a, b]) => a - b)), 1);
    assert.equal(samenessOf(equivalenceP(wide, within(0.05)), 6), "not shown");
  });

  test("who is beyond it on either side is not", () => {
    for (const ratio of [1.06, 0.94]) {
      const beyond = pairs(...Array.from({ length: 8 }, () => ratio));
      assert.equal(samenessOf(equivalenceP(beyond, within(0.05)), 8), "not shown");
    }
  });
});
