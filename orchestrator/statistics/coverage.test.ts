// lane: works, 5 s
/**
 * What is said to hold in 95 % does: each interval and each test tried on thousands of small experiments
 * whose truth is known, with noise as even and as lopsided as latencies have it.
 */
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Random } from "#node/core/random.ts";
import { equivalenceP, within } from "./equivalence.ts";
import { bootstrap, FEWEST } from "./interval.ts";
import { middleOf } from "./middle.ts";
import { shiftOf, signFlip } from "./sign-flip.ts";

const NOISES = {
  even: (random: Random) => random.normal(),
  lopsided: (random: Random) => random.exponential() - 1,
  "with outliers": (random: Random) => random.normal() * (random.chance(0.1) ? 10 : 1),
};
/** The medians of these. */
const MEDIANS = { even: 0, lopsided: Math.LN2 - 1, "with outliers": 0 };

function shareOf(experiments: number, seed: number, holds: (random: Random) => boolean): number {
  const random = new Random(seed);
  let held = 0;
  for (let number = 0; number < experiments; number++) if (holds(random)) held += 1;
  return held / experiments;
}

const several = <T>(count: number, of: () => T): T[] => Array.from({ length: count }, of);
/** How far chance may take a share of 3,000 experiments from 5 or 95 %: four deviations. */
const CHANCE = 4 * Math.sqrt((0.05 * 0.95) / 3000);

for (const [name, noise] of Object.entries(NOISES)) {
  suite(`noise that is ${name}`, () => {
    for (const count of [6, 9, 15])
      test(`the interval of the median of ${count} runs holds the true one`, () => {
        const truth = MEDIANS[name as keyof typeof MEDIANS];
        const covered = shareOf(3000, count, (random) => {
          const found = middleOf(several(count, () => noise(random)));
          return (found?.low ?? Infinity) <= truth && truth <= (found?.high ?? -Infinity);
        });
        assert.ok(covered > 0.95 - CHANCE, `${covered}`);
      });

    test("of two arms that are the same, the test takes one pair in twenty for different at most", () => {
      const wrong = shareOf(3000, 7, (random) => {
        const pairs = several(8, () => noise(random) - noise(random));
        return signFlip(pairs) <= 0.05;
      });
      assert.ok(wrong < 0.05 + CHANCE && wrong > 0.02, `${wrong}`);
    });

    test("the interval of a difference holds the true one", () => {
      const covered = shareOf(1000, 8, (random) => {
        const { low, high } = shiftOf(several(8, () => 5 + noise(random) - noise(random)));
        return (low ?? Infinity) <= 5 && 5 <= (high ?? -Infinity);
      });
      assert.ok(covered > 0.95 - 2 * CHANCE, `${covered}`);
    });

    test("of two arms exactly at the margin, one in twenty are taken for the same at most", () => {
      const wrong = shareOf(3000, 9, (random) => {
        const noisy = several(8, () => [105 + noise(random), 100 + noise(random)] as const);
        return equivalenceP(noisy, within(0.05)) <= 0.05;
      });
      assert.ok(wrong < 0.05 + CHANCE && wrong > 0.02, `${wrong}`);
    });
  });
}

suite(`the bootstrap, from ${FEWEST} repetitions on`, () => {
  for (const [name, noise] of Object.entries(NOISES))
    test(`holds the true mean, where the noise is ${name}`, () => {
      const covered = shareOf(400, 10, (random) => {
        const found = bootstrap(several(FEWEST, () => noise(random)));
        return found !== null && found.low <= 0 && 0 <= found.high;
      });
      assert.ok(covered > 0.9 && covered < 0.98, `${covered}`);
    });

  test("and of fewer there is none", () => {
    assert.equal(bootstrap(several(FEWEST - 1, () => 1)), null);
    assert.deepEqual(bootstrap(several(FEWEST, () => 7)), { mean: 7, low: 7, high: 7, count: FEWEST });
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
  });
});
