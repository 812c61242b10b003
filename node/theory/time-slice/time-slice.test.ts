// lane: works, 1 s
// What is true of time slice, and what becomes of it where rounds are shorter than messages take.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inStep } from "../in-step.ts";
import { agreed } from "../../testing/theory/agreed.ts";
import { carried, knownAt, type Outcome } from "../outcome.ts";
import { timeSlice } from "./entry.ts";
import type { TimeSliceSlip } from "./time-slice.ts";

type Delay = (from: number, to: number) => number;

const elect = (ids: readonly number[], slip: TimeSliceSlip | null = null, delay: Delay = () => 1): Outcome =>
  inStep({ ...timeSlice.cast({ ids, initiators: [], seed: 0 }, slip), delay, most: 3000 });

function isRight(ids: readonly number[], outcome: Outcome): void {
  const least = Math.min(...ids);
  agreed(outcome, ids, least);
  assert.equal(carried(outcome), ids.length);
  assert.equal(knownAt(outcome)?.first, ids.length * (least + 1));
}

const rings = fc.uniqueArray(fc.nat(40), { minLength: 2, maxLength: 40 });

test("exactly n messages, and n(v + 1) rounds for the least id v", () => {
  fc.assert(fc.property(rings, (ids) => isRight(ids, elect(ids))));
});

test("rounds shorter than a message takes: a slice begins before the token is around, and two lead", () => {
  const ids = [0, 2, 1];
  isRight(ids, elect(ids));
  // One link takes three rounds where one is promised.
  const late = elect(ids, null, (from) => (from === 1 ? 3 : 1));
  assert.deepEqual(
    late.leaders.map(({ place }) => ids[place]),
    [0, 1],
  );
  assert.equal(carried(late), 2 * ids.length);
});

test("two lead exactly where somebody's slice begins before the token has come to it", () => {
  const run = fc.record({
    ids: rings,
    round: fc.integer({ min: 1, max: 9 }),
    draws: fc.infiniteStream(fc.nat(8)),
  });
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(run, ({ ids, round, draws }) => {
      const units = ids.map(() => 1 + Number(draws.next().value));
      // What is not there at the end of its round is heard at the end of a later one.
      const inRounds = (from: number): number => Math.ceil((units[from] ?? 1) / round);
      const outcome = elect(ids, null, inRounds);
      const least = Math.min(...ids);
      let place = ids.indexOf(least);
      let rounds = 0;
      let isEarly = false;
      for (let hop = 1; hop < ids.length; hop++) {
        rounds += inRounds(place);
        place = (place + 1) % ids.length;
        isEarly ||= rounds > ids.length * ((ids[place] ?? 0) - least);
      }
      assert.equal(outcome.leaders.length > 1, isEarly);
      if (units.every((delay) => delay <= round)) isRight(ids, outcome);
      seen.add(isEarly);
    }),
  );
  assert.equal(seen.size, 2, "both have happened");
});

test("slips are caught", () => {
  for (const slip of Object.keys(timeSlice.slips) as TimeSliceSlip[]) {
    assert.throws(() => isRight([2, 4, 3, 7], elect([2, 4, 3, 7], slip)), assert.AssertionError, slip);
  }
});
