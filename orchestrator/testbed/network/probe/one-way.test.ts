import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { departures } from "./one-way.ts";

const [ROUNDS, PAIRS, INTERVAL] = [400, 12, 12_000];
const STEP = INTERVAL / PAIRS;

suite("when probes leave", () => {
  const due = departures(ROUNDS, PAIRS, INTERVAL);

  test("one after the other, at least a step apart, and the same again each time", () => {
    for (let next = 1; next < due.length; next++) {
      const apart = (due[next] as number) - (due[next - 1] as number);
      assert.ok(apart >= STEP - 1e-6 && apart <= 2 * STEP, `${apart}`);
    }
    assert.deepEqual(departures(ROUNDS, PAIRS, INTERVAL), due);
  });

  test("what disturbs at even times meets every pair alike", () => {
    // As long as fifty rounds: without the pauses it would meet one pair in all of them.
    for (const period of [4000, 50 * INTERVAL]) {
      const met = new Map<number, number>();
      for (const [next, at] of due.entries()) {
        if (at % period < STEP / 2) met.set(next % PAIRS, (met.get(next % PAIRS) ?? 0) + 1);
      }
      const all = [...met.values()].reduce((sum, count) => sum + count, 0);
      assert.ok(all >= 3);
      assert.ok(Math.max(...met.values()) <= Math.max(2, all / 3), `${JSON.stringify([...met])} of ${all}`);
    }
  });
});
