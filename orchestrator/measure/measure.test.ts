import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { bootstrap } from "../statistics/interval.ts";
import { differences, holm, pairedP } from "../statistics/comparison.ts";
import { twoSided } from "../statistics/student.ts";
import { distribution, statistics } from "../statistics/summary.ts";

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
  ] as const) {
    test(`t = ${t} with ${degrees} degrees of freedom: p = ${p}`, () => {
      assert.ok(Math.abs(twoSided(t, degrees) - p) < 0.0005, `${twoSided(t, degrees)}`);
    });
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
