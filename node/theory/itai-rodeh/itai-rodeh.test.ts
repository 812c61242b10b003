// lane: works, 1 s
// What is true of Itai-Rodeh: one leader, whatever was drawn, in as many phases as are to be expected.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../core/random.ts";
import { inAnyOrder } from "../in-any-order.ts";
import { inStep } from "../in-step.ts";
import { places } from "../lecture.ts";
import { carried, type Outcome } from "../outcome.ts";
import { itaiRodeh } from "./entry.ts";
import { expectedPhases } from "./expected-phases.ts";
import { ItaiRodeh, type ItaiRodehSlip } from "./itai-rodeh.ts";

/** One leader, and each follower says how far back it is. */
function isRight(n: number, outcome: Outcome): void {
  assert.equal(outcome.ended, "quiet");
  assert.equal(outcome.leaders.length, 1);
  const leader = outcome.leaders[0]?.place ?? -1;
  for (const [place, followed] of outcome.followed.entries())
    if (place !== leader) assert.equal((place - (followed?.leader ?? 0) + n) % n, leader);
  assert.ok(carried(outcome, "token") >= 2 * n - 1);
  assert.equal(carried(outcome, "elected"), n);
}

test("one leader, in step and in any order of events", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(), (n, seed) => {
      const cast = () => itaiRodeh.cast({ ids: places(n), initiators: places(n), seed }, null);
      isRight(n, inStep({ ...cast(), most: 50_000 }));
      isRight(n, inAnyOrder({ ...cast(), most: 50_000 }, new Random(seed)));
    }),
  );
});

/** One phase in which the first processes have these draws and the others stand no longer: how many go on? */
function leftAfter(n: number, draws: readonly number[]): number {
  // A draw of 0 is below all, so whoever has it stands until the first token comes by.
  const processes = places(n).map((place) => new ItaiRodeh(n, () => draws[place] ?? 0));
  const outcome = inStep({
    ids: places(n),
    initiators: places(n),
    processes,
    until: (now) => now === n,
  });
  return outcome.leaders.length + processes.filter(({ phase }) => phase === 2).length;
}

test("phases to expect, from every possible draw: 2, 27/16, 8/5, 5825/3744", () => {
  for (const [n, over, under] of [
    [2, 2, 1],
    [3, 27, 16],
    [4, 8, 5],
    [5, 5825, 3744],
  ] as const) {
    const expected = [0, 0];
    for (let standing = 2; standing <= n; standing++) {
      const ways: number[] = [];
      for (let draw = 0; draw < n ** standing; draw++) {
        const draws = places(standing).map((place) => 1 + (Math.floor(draw / n ** place) % n));
        const left = leftAfter(n, draws);
        ways[left] = (ways[left] ?? 0) + 1;
      }
      const more = places(standing).reduce(
        (all, left) => all + (left < 2 ? 0 : (ways[left] ?? 0) * (expected[left] ?? 0)),
        0,
      );
      expected[standing] = (n ** standing + more) / (n ** standing - (ways[standing] ?? 0));
    }
    assert.ok(Math.abs((expected[n] ?? 0) - over / under) < 1e-9, `n = ${n}: ${expected[n]}`);
    assert.ok(Math.abs(expectedPhases(n) - over / under) < 1e-9);
  }
  assert.ok(Math.abs(expectedPhases(6) - 396 / 259) < 1e-9);
  assert.ok(Math.abs(expectedPhases(7) - 53326357 / 35294400) < 1e-9);
});

test("slips are caught", () => {
  const seeds = places(40);
  for (const slip of Object.keys(itaiRodeh.slips) as ItaiRodehSlip[]) {
    const caught = () => {
      for (const seed of seeds) {
        const cast = () => itaiRodeh.cast({ ids: places(4), initiators: places(4), seed }, slip);
        isRight(4, inStep({ ...cast(), most: 2000 }));
        isRight(4, inAnyOrder({ ...cast(), most: 2000 }, new Random(seed)));
      }
    };
    assert.throws(caught, assert.AssertionError, slip);
  }
});
