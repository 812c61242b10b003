import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { bootstrap } from "./interval.ts";
import { differences, holm, pairedP } from "./comparison.ts";
import { twoSided } from "./student.ts";
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
    });
  });

  test("of nothing there are no statistics", () => {
    assert.equal(statistics([]), null);
    assert.deepEqual(distribution([]), { share: [], value: [] });
  });

  test("each of unequal numbers stands in its own place", () => {
    const values = [9, 1, 5, 3, 100];
    assert.deepEqual(statistics(values), { count: 5, mean: 23.6, p50: 5, p95: 100, p99: 100, max: 100 });
    assert.deepEqual(
      [0, 0.2, 0.21, 0.8, 0.81].map((share) => quantileOf(values, share)),
      [1, 1, 3, 9, 100],
    );
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

suite("how sure a few repetitions make us", () => {
  test("the interval holds the mean and shrinks with more repetitions", () => {
    const few = bootstrap([10, 12, 14]);
    const many = bootstrap(Array.from({ length: 48 }, (_, index) => 10 + (index % 3) * 2));
    assert.ok(few !== null && many !== null);
    assert.ok(few.low <= 12 && 12 <= few.high);
    assert.ok(many.high - many.low < (few.high - few.low) / 3);
  });

  test("95 % of what may be drawn lies within the interval, and half of it within that of half", () => {
    // Means of a hundred draws from 0..99 are normal about 49.5, with a deviation of 2.887.
    const values = Array.from({ length: 100 }, (_, index) => index);
    for (const [level, deviations] of [
      [0.95, 1.96],
      [0.9, 1.645],
      [0.5, 0.674],
    ] as const) {
      const { mean, low, high, count } = bootstrap(values, level) ?? assert.fail();
      assert.deepEqual([mean, count], [49.5, 100]);
      for (const reach of [mean - low, high - mean]) {
        assert.ok(Math.abs(reach - deviations * 2.887) < 0.3, `${level}: ${low} to ${high}`);
      }
    }
    assert.deepEqual(bootstrap(values), bootstrap(values, 0.95));
    assert.equal(bootstrap([]), null);
  });

  test("one repetition is its own interval", () => {
    assert.deepEqual(bootstrap([7]), { mean: 7, low: 7, high: 7, count: 1 });
  });

  // Critical values of any printed table.
  for (const [t, degrees, p] of [
    [12.706, 1, 0.05],
    [2.776, 4, 0.05],
    [4.604, 4, 0.01],
    [2.228, 10, 0.05],
    [1.96, 100_000, 0.05],
    [0, 7, 1],
    [1, 1, 0.5],
    [0.1, 3, 0.92666],
    [0.765, 5, 0.4788],
    [63.657, 1, 0.01],
    [Infinity, 3, 0],
  ] as const) {
    test(`t = ${t} with ${degrees} degrees of freedom: p = ${p}`, () => {
      assert.ok(Math.abs(twoSided(t, degrees) - p) < 0.0005, `${twoSided(t, degrees)}`);
      assert.equal(twoSided(-t, degrees), twoSided(t, degrees));
    });
  }
});

test("where it has a closed form, the chance is that to twelve digits", () => {
  for (const t of [0.01, 0.3, 1, Math.sqrt(3), 2, 5, 40]) {
    const exact = [
      [1, 1 - (2 * Math.atan(t)) / Math.PI],
      [2, 1 - t / Math.sqrt(2 + t * t)],
      [3, 1 - (2 / Math.PI) * (Math.atan(t / Math.sqrt(3)) + (Math.sqrt(3) * t) / (3 + t * t))],
      [4, 1 - (t / Math.sqrt(4 + t * t)) * (1 + 2 / (4 + t * t))],
    ] as const;
    for (const [degrees, p] of exact)
      assert.ok(Math.abs(twoSided(t, degrees) - p) < 1e-12, `t = ${t}, ${degrees}: ${twoSided(t, degrees)}`);
  }
});

suite("a difference, or chance?", () => {
  const arm = (name: string, values: readonly number[]) => ({
    name,
    values: new Map(values.map((value, seed) => [seed, value])),
  });

  test("a pair's common noise cancels", () => {
    const noise = [40, 10, 90, 70, 20];
    const slow = noise.map((n, index) => n + 5 + index / 10);
    const [only] = differences([{ name: "outage", arms: [arm("slow", slow), arm("fast", noise)] }]);
    assert.ok(only !== undefined && Math.abs(only.interval.mean - 5.2) < 1e-9);
    assert.equal(only.quantity, "outage");
    assert.ok(only.p < 0.001);
  });

  test("who looks at two quantities is less sure of each", () => {
    const arms = [arm("a", [1, 2, 3]), arm("b", [0, 0, 0])];
    const once = differences([{ name: "mean", arms }]);
    const twice = differences([
      { name: "mean", arms },
      { name: "outage", arms },
    ]);
    assert.deepEqual(
      twice.map(({ quantity, p }) => [quantity, p]),
      ["mean", "outage"].map((name) => [name, 2 * (once[0]?.p ?? Number.NaN)]),
    );
  });

  // t = 2 / (1 / sqrt 3) = 3.464 with two degrees of freedom.
  test("three pairs that differ by 1, 2 and 3", () => {
    assert.ok(Math.abs(pairedP([1, 2, 3]) - 0.0742) < 0.0001);
  });

  test("noise alone is no difference", () => {
    assert.ok(pairedP([1, -1, 2, -2, 0.5]) > 0.5);
    assert.equal(pairedP([2, 2, 2]), 0, "always the same is no noise");
    assert.equal(pairedP([0, 0, 0]), 1);
  });

  test("only seeds that both have are paired", () => {
    const other = {
      name: "b",
      values: new Map([
        [2, 1],
        [9, 5],
      ]),
    };
    assert.deepEqual(differences([{ name: "mean", arms: [arm("a", [1, 2, 3]), other] }]), []);
  });

  // Holm 1979: 0.01 * 4, 0.02 * 3, 0.03 * 2 (not below the one before), 0.04 * 1 (the same).
  test("many comparisons make each less sure", () => {
    const close = holm([0.04, 0.01, 0.03, 0.02]).map((p) => Number(p.toFixed(6)));
    assert.deepEqual(close, [0.06, 0.04, 0.06, 0.06]);
    assert.deepEqual(holm([0.9, 0.8]), [1, 1]);
  });
});
