import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { deviation, distribution, median, quantileOf, statistics } from "./summary.ts";

suite("many numbers in a few", () => {
  test("quantiles are values that occurred", () => {
    const values = Array.from({ length: 1000 }, (_, index) => 1000 - index);
    assert.deepEqual(statistics(values), {
      count: 1000,
      mean: 500.5,
      p50: 500,
      p95: 950,
      p99: 990,
      max: 1000,
      atLeast: [],
    });
  });

  test("of nothing there are no statistics", () => {
    assert.equal(statistics([]), null);
    assert.deepEqual(distribution([]), { share: [], value: [] });
  });

  test("each of unequal numbers stands in its own place", () => {
    const values = [9, 1, 5, 3, 100];
    assert.deepEqual(statistics(values), {
      count: 5,
      mean: 23.6,
      p50: 5,
      p95: 100,
      p99: 100,
      max: 100,
      atLeast: [],
    });
    assert.deepEqual(
      [0, 0.2, 0.21, 0.8, 0.81].map((share) => quantileOf(values, share)),
      [1, 1, 3, 9, 100],
    );
  });

  test("what never ended counts as long as it is known to have lasted, and what rests on it says so", () => {
    const ended = Array.from({ length: 96 }, (_, index) => index + 1);
    const found = statistics(ended, [10, 200, 300, 400]) ?? assert.fail();
    // The one that was given up at 10 stands among the short ones: 50 of 100 are at most 49, if it was short.
    assert.deepEqual([found.count, found.p50, found.p95, found.p99, found.max], [100, 49, 94, 300, 400]);
    assert.deepEqual(found.atLeast, ["mean", "p50", "p95", "p99", "max"]);
  });

  test("a quantile below all that never ended is what it is", () => {
    const ended = Array.from({ length: 98 }, (_, index) => index + 1);
    const { p95, p99, atLeast } = statistics(ended, [500, 600]) ?? assert.fail();
    assert.deepEqual([p95, p99, atLeast], [95, 500, ["mean", "p99", "max"]]);
    assert.equal(statistics([], [5]), null, "where nothing ended nothing is known");
  });

  test("of an even number the median is between the two in the middle", () => {
    assert.deepEqual([median([4, 1, 2]), median([10, 1, 2, 4]), median([7])], [2, 3, 7]);
  });

  test("a deviation is that of the population", () => {
    // From the mean 5: 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over one less than eight.
    assert.ok(Math.abs(deviation([2, 4, 4, 4, 5, 5, 7, 9]) - Math.sqrt(32 / 7)) < 1e-12);
    assert.deepEqual([deviation([]), deviation([3]), deviation([1, 3])], [0, 0, Math.SQRT2]);
  });

  test("a distribution is cut at each hundredth, and finer at its end", () => {
    const { share, value } = distribution(Array.from({ length: 10_000 }, (_, index) => index + 1));
    assert.deepEqual(share.slice(0, 3), [0, 0.01, 0.02]);
    assert.deepEqual(share.slice(-4), [0.998, 0.999, 0.9999, 1]);
    assert.equal(share.length, 112);
    assert.deepEqual(value.slice(-4), [9980, 9990, 9999, 10_000]);
  });

  test("a distribution never falls and ends at the maximum", () => {
    const { share, value } = distribution([5, 1, 9, 3]);
    assert.equal(value.at(-1), 9);
    assert.equal(value[0], 1);
    assert.equal(value[share.indexOf(0.5)], 3);
    assert.ok(value.every((one, index) => index === 0 || one >= (value[index - 1] ?? 0)));
  });
});
