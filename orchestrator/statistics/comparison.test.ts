import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { cannotTell, differences, differs, holm } from "./comparison.ts";

const arm = (name: string, values: readonly number[]) => ({
  name,
  values: new Map(values.map((value, seed) => [seed, value])),
});

suite("arms side by side", () => {
  const noise = [40, 10, 90, 70, 20, 60];

  test("a pair's common noise cancels", () => {
    const slow = noise.map((n, index) => n + 5 + index / 10);
    const [only] = differences([{ name: "outage", arms: [arm("slow", slow), arm("fast", noise)] }]);
    assert.ok(only !== undefined && Math.abs(only.mean - 5.25) < 1e-9);
    assert.deepEqual(
      [only.quantity, only.a, only.b, only.pairs, only.p],
      ["outage", "slow", "fast", 6, 2 / 64],
    );
    assert.ok(differs(only) && !cannotTell(only) && only.low !== null && only.low > 0);
  });

  test("who looks at two quantities is less sure of each, and six pairs are no longer enough", () => {
    const arms = [
      arm(
        "a",
        noise.map((n) => n + 1),
      ),
      arm("b", noise),
    ];
    const twice = differences([
      { name: "mean", arms },
      { name: "outage", arms },
    ]);
    assert.deepEqual(
      twice.map(({ quantity, p, leastP }) => [quantity, p, leastP]),
      ["mean", "outage"].map((name) => [name, 4 / 64, 4 / 64]),
    );
    assert.ok(twice.every((one) => cannotTell(one) && !differs(one)));
  });

  test("not to differ and to be the same are two things", () => {
    const near = differences([
      {
        name: "mean",
        arms: [
          arm(
            "a",
            noise.map((n, index) => n + (index % 2 ? 0.1 : -0.1)),
          ),
          arm("b", noise),
        ],
      },
    ]);
    assert.deepEqual(
      near.map((one) => [differs(one), one.sameness]),
      [[false, "same"]],
    );
    const far = differences([
      {
        name: "mean",
        arms: [
          arm(
            "a",
            noise.map((n, index) => n + (index % 2 ? 30 : -30)),
          ),
          arm("b", noise),
        ],
      },
    ]);
    assert.deepEqual(
      far.map((one) => [differs(one), one.sameness]),
      [[false, "not shown"]],
    );
  });

  test("only runs that both have are paired", () => {
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
    assert.deepEqual(holm([0.01, 0.25], 4), [0.04, 0.75], "two more are looked at besides");
  });
});
