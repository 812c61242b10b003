// lane: works, 1 s
// What is true of Bully, counted by whoever carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inStep } from "../in-step.ts";
import { places } from "../lecture.ts";
import { carried, type Outcome } from "../outcome.ts";
import type { Process } from "../process.ts";
import type { BullyMessage, BullySlip } from "./bully.ts";
import { bully, type BullyCase, bullyCast } from "./entry.ts";

const elect = (size: number, one: BullyCase): Outcome => inStep({ ...bullyCast(size, one), most: 20_000 });
const counts = (outcome: Outcome) => ["Election", "OK", "Coordinator"].map((kind) => carried(outcome, kind));
const all = (m: number): readonly number[] => places(m);

test("five, the greatest dead, all notice: 10 + 6 + 3, and 6 + 6 + 3 when the dead is not asked", () => {
  const one = { initiators: all(4), dead: [5] };
  assert.deepEqual(counts(elect(5, { ...one, knowsDead: false })), [10, 6, 3]);
  assert.deepEqual(counts(elect(5, { ...one, knowsDead: true })), [6, 6, 3]);
});

interface Run {
  readonly size: number;
  readonly fallen: number;
  /** Ids that notice. */
  readonly notice: readonly number[];
}

const runs: fc.Arbitrary<Run> = fc
  .integer({ min: 2, max: 60 })
  .chain((size) => fc.record({ size: fc.constant(size), fallen: fc.integer({ min: 0, max: size - 1 }) }))
  .chain(({ size, fallen }) => {
    const living = Array.from({ length: size - fallen }, (_, index) => index + 1);
    return fc.record({
      size: fc.constant(size),
      fallen: fc.constant(fallen),
      notice: fc.subarray(living, { minLength: 1 }),
    });
  });

const caseOf = ({ size, fallen, notice }: Run): Omit<BullyCase, "knowsDead"> => ({
  initiators: notice.map((id) => id - 1),
  dead: Array.from({ length: fallen }, (_, index) => size - index),
});

function isRight({ size, fallen }: Run, outcome: Outcome): void {
  const m = size - fallen;
  assert.equal(outcome.ended, "quiet");
  assert.deepEqual(
    outcome.leaders.map(({ place }) => place + 1),
    [m],
  );
  assert.deepEqual(new Set(outcome.followed.slice(0, m).map((one) => one?.leader)), new Set([m]));
}

test("N servers, the top f dead, k the lowest that notices: the counts of the table", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const { size, fallen, notice } = run;
      const m = size - fallen;
      const k = Math.min(...notice);
      const oks = ((m - k) * (m - k + 1)) / 2;
      const asked = Array.from({ length: m - k + 1 }, (_, index) => size - k - index);
      const letter = elect(size, { ...caseOf(run), knowsDead: false });
      isRight(run, letter);
      assert.deepEqual(counts(letter), [asked.reduce((sum, one) => sum + one), oks, m - 1]);
      if (fallen === 1) assert.equal(carried(letter), (size - k) ** 2 + size - 2);
      const known = elect(size, { ...caseOf(run), knowsDead: true });
      isRight(run, known);
      assert.deepEqual(counts(known), [oks, oks, m - 1]);
      if (fallen === 1 && k === 1) assert.equal(carried(known), size * (size - 2));
      if (fallen === 1 && k === size - 1) assert.equal(carried(known), size - 2, "the lecture's best case");
    }),
  );
});

test("four delays when the least notices, three when all do, one when all also know who is dead", () => {
  assert.equal(elect(6, { initiators: [0], dead: [6], knowsDead: false }).quietAt, 4);
  assert.equal(elect(6, { initiators: all(5), dead: [6], knowsDead: false }).quietAt, 3);
  const known = elect(6, { initiators: all(5), dead: [6], knowsDead: true });
  assert.equal(Math.max(...known.followed.slice(0, 5).map((one) => one?.at ?? 0)), 1);
});

/**
 * By place: server 5 from the beginning, server 4 when it has answered and before it speaks as the greatest.
 */
const DEATHS = new Map([
  [4, 0],
  [3, 3],
]);

test("the greatest alive dies after its OK: who waits for it begins anew, and the next one leads", () => {
  const outcome = inStep({
    ...bullyCast(5, { initiators: [0], dead: [], knowsDead: false }),
    deaths: DEATHS,
    most: 500,
  });
  assert.deepEqual(
    outcome.leaders.map(({ place }) => place + 1),
    [3],
  );
  assert.deepEqual(
    outcome.followed.slice(0, 3).map((one) => one?.leader),
    [3, 3, 3],
  );
});

test("who asks when the coordinator has spoken asks for ever, unless that speaks again", () => {
  const late = (again: boolean): Outcome => {
    const cast = bullyCast(4, { initiators: [2], dead: [4], knowsDead: true, again });
    let asked = false;
    // Server 1 comes when Coordinator has been said, and has missed it.
    const [latecomer, ...others] = cast.processes;
    assert.ok(latecomer);
    const missing: Process<BullyMessage> = {
      step(input) {
        if (asked || input.kind !== "message") return latecomer.step(input);
        asked = true;
        return latecomer.step({ kind: "begin" });
      },
    };
    return inStep({ ...cast, processes: [missing, ...others], most: 300 });
  };
  assert.equal(late(false).ended, "given up");
  assert.equal(late(true).ended, "quiet");
  assert.equal(late(true).followed[0]?.leader, 3);
});

test("slips are caught", () => {
  for (const slip of Object.keys(bully.slips) as BullySlip[]) {
    const caught = () => {
      const one = { initiators: [0], dead: [5], knowsDead: false, slip };
      isRight({ size: 5, fallen: 1, notice: [1] }, elect(5, one));
      assert.deepEqual(counts(elect(5, one)), [10, 6, 3]);
      const dying = inStep({ ...bullyCast(5, { ...one, dead: [] }), deaths: DEATHS, most: 500 });
      assert.equal(dying.followed[0]?.leader, 3);
    };
    assert.throws(caught, assert.AssertionError, slip);
  }
});
