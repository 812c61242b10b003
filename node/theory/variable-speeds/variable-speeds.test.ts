// lane: works, 1 s
// What is true of variable speeds, counted by whoever carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { arrangements, rising } from "../arrangement.ts";
import { inStep } from "../in-step.ts";
import { agreed } from "../../testing/theory/agreed.ts";
import { carried, knownAt, type Outcome } from "../outcome.ts";
import { variableSpeeds } from "./entry.ts";
import type { VariableSpeedsSlip } from "./variable-speeds.ts";

const elect = (ids: readonly number[], slip: VariableSpeedsSlip | null = null): Outcome =>
  inStep({ ...variableSpeeds.cast({ ids, initiators: [], seed: 0 }, slip), most: 3000 });

function isRight(ids: readonly number[], outcome: Outcome): void {
  const least = Math.min(...ids);
  agreed(outcome, ids, least);
  assert.equal(knownAt(outcome)?.first, ids.length * 2 ** least);
  assert.ok(carried(outcome, "token") >= ids.length && carried(outcome, "token") < 2 * ids.length);
  assert.equal(carried(outcome, "elected"), ids.length);
}

test("over all arrangements of up to seven: the mean and the most, exactly", () => {
  for (const [n, over, under, most] of [
    [2, 2, 1, 2],
    [3, 7, 2, 4],
    [4, 14, 3, 5],
    [5, 37, 6, 7],
    [6, 15, 2, 9],
    [7, 89, 10, 11],
  ] as const) {
    const rings = [...arrangements(rising(n).map((id) => id - 1))];
    const costs = rings.map((ids) => carried(elect(ids), "token"));
    assert.equal(costs.reduce((all, one) => all + one) * under, over * costs.length, `the mean for n = ${n}`);
    assert.equal(Math.max(...costs), most);
  }
});

test("the least is elected, home in round n 2^v, at n messages or more and less than 2n", () => {
  const rings = fc.uniqueArray(fc.nat(100), { minLength: 2, maxLength: 60 }).map((ids) => {
    const ascending = ids.toSorted((a, b) => a - b);
    // Spread as they are, but beginning at 0 to 5: a hop of the least takes 2^5 rounds at most.
    const from = (ascending[0] ?? 0) % 6;
    return ids.map((id) => id - (ascending[0] ?? 0) + from);
  });
  fc.assert(fc.property(rings, (ids) => isRight(ids, elect(ids))));
});

test("slips are caught", () => {
  const ids = [3, 2, 1, 5, 4];
  for (const slip of Object.keys(variableSpeeds.slips) as VariableSpeedsSlip[]) {
    const caught = () => {
      isRight(ids, elect(ids, slip));
      assert.deepEqual(elect(ids, slip).messages, elect(ids).messages);
    };
    assert.throws(caught, assert.AssertionError, slip);
  }
});
