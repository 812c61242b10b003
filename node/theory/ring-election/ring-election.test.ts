// lane: works, 1 s
// What is true of the ring election with initiators, counted by whoever carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../core/random.ts";
import { arrangements, rising } from "../arrangement.ts";
import { inAnyOrder } from "../in-any-order.ts";
import { inStep } from "../in-step.ts";
import { carried, type Outcome } from "../outcome.ts";
import { ringCast, ringElection } from "./entry.ts";
import type { RingElectionRule, RingElectionSlip } from "./ring-election.ts";

interface Run {
  readonly ring: readonly number[];
  /** Ids. */
  readonly from: readonly number[];
  readonly rule?: RingElectionRule;
  readonly slip?: RingElectionSlip | null;
}

const castOf = ({ ring, from, rule = "cache", slip = null }: Run) =>
  ringCast(
    ring,
    from.map((id) => ring.indexOf(id)),
    rule,
    slip,
  );
const elect = (run: Run): Outcome => inStep({ ...castOf(run), most: 2000 });
const counts = (run: Run) => {
  const outcome = elect(run);
  return [carried(outcome, "Election"), carried(outcome, "Elected")];
};
const leaders = ({ leaders: places }: Outcome, ring: readonly number[]) =>
  places.map(({ place }) => ring[place]);

const LECTURE = [12, 3, 32, 5, 80, 6];

test("one initiator: 2N at best, (5N - 1)/2 in the mean, 3N - 1 at worst, and as much time", () => {
  for (const n of [2, 3, 4, 5, 6, 7]) {
    const costs: number[] = [];
    for (const ring of arrangements(rising(n))) {
      for (const from of ring) {
        const outcome = elect({ ring, from: [from] });
        costs.push(carried(outcome));
        assert.equal(outcome.quietAt, carried(outcome), "one message after the other");
        const distance = (ring.indexOf(n) - ring.indexOf(from) + n) % n;
        assert.deepEqual(counts({ ring, from: [from] }), [distance + n, n]);
      }
    }
    assert.deepEqual([Math.min(...costs), Math.max(...costs)], [2 * n, 3 * n - 1]);
    assert.equal(2 * costs.reduce((all, one) => all + one), (5 * n - 1) * costs.length, "the mean, exactly");
  }
});

test("the lecture's ring, by who begins", () => {
  for (const [from, election] of [
    [[3], 9],
    [[6], 11],
    [[6, 12], 11],
    [[3, 6], 15],
    [LECTURE, 13],
  ] as const) {
    assert.deepEqual(counts({ ring: LECTURE, from }), [election, 6], `from ${from.join(", ")}`);
    assert.deepEqual(leaders(elect({ ring: LECTURE, from }), LECTURE), [80]);
  }
  assert.deepEqual(
    counts({ ring: LECTURE, from: LECTURE, rule: "flag" }),
    [13, 6],
    "all begin: both rules are LCR",
  );
});

test("the trap: one flag for all runs elects nobody, and passing on what is smaller elects 12", () => {
  const run = { ring: LECTURE, from: [3, 6] };
  assert.deepEqual(leaders(elect({ ...run, slip: "one flag" }), LECTURE), []);
  assert.deepEqual(leaders(elect({ ...run, slip: "else forward" }), LECTURE), [12]);
  assert.deepEqual(leaders(elect(run), LECTURE), [80]);
});

const runs = fc
  .uniqueArray(fc.nat(1000), { minLength: 2, maxLength: 60 })
  .chain((ring) =>
    fc.record({ ring: fc.constant(ring), from: fc.subarray(ring, { minLength: 1 }), seed: fc.nat() }),
  );

/** How many hops from one id to the first that satisfies `stop`. */
function hops(ring: readonly number[], from: number, stop: (id: number) => boolean): number {
  const at = ring.indexOf(from);
  return [...ring.slice(at + 1), ...ring.slice(0, at + 1)].findIndex(stop) + 1;
}

/**
 * Each run ends at the next greater beginner; that of the greatest reaches the winner and goes all around.
 */
function inStepCost({ ring, from }: Run): number {
  const top = Math.max(...from);
  const winner = Math.max(...ring);
  const others = from
    .filter((id) => id !== top)
    .map((id) => hops(ring, id, (at) => at > id && from.includes(at)));
  const last = top === winner ? 0 : hops(ring, top, (at) => at === winner);
  return others.reduce((all, one) => all + one, 0) + last + ring.length;
}

function isRight(run: Run, outcome: Outcome): void {
  const greatest = Math.max(...run.ring);
  assert.equal(outcome.ended, "quiet");
  assert.deepEqual(leaders(outcome, run.ring), [greatest]);
  assert.deepEqual(new Set(outcome.followed.map((one) => one?.leader)), new Set([greatest]));
}

test("any initiators, in step: the count that is computed", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const outcome = elect(run);
      isRight(run, outcome);
      assert.deepEqual(counts(run), [inStepCost(run), run.ring.length]);
    }),
  );
});

test("any initiators, any order of events, both rules: the greatest; by the flag rule as LCR at most", () => {
  fc.assert(
    fc.property(runs, (run) => {
      for (const rule of ["cache", "flag"] as const)
        isRight(run, inAnyOrder({ ...castOf({ ...run, rule }), most: 100_000 }, new Random(run.seed)));
      const flagged = elect({ ...run, rule: "flag" });
      assert.ok(carried(flagged, "Election") <= (run.ring.length * (run.ring.length + 1)) / 2);
    }),
  );
});

test("slips are caught", () => {
  const run = { ring: LECTURE, from: [3, 6] };
  for (const slip of Object.keys(ringElection.slips) as RingElectionSlip[]) {
    const caught = () => {
      isRight(run, elect({ ...run, slip }));
      assert.deepEqual(counts({ ...run, slip }), [15, 6]);
      assert.deepEqual(counts({ ...run, from: LECTURE, rule: "flag", slip }), [13, 6]);
    };
    assert.throws(caught, assert.AssertionError, slip);
  }
});
