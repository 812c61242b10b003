// lane: works, 1 s
// The lectures' synchronous elections among members that make the rounds themselves, in virtual time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { milliseconds } from "../../core/time.ts";
import { GroupElectionWorld } from "./group-election-world.ts";
import { timeSlice, variableSpeeds } from "../../election/in-rounds/entry.ts";

const ELECTIONS = { "time slice": timeSlice, "variable speeds": variableSpeeds };
const from1To = (size: number): readonly number[] => Array.from({ length: size }, (_, index) => index + 1);

interface Setting {
  readonly election: (typeof ELECTIONS)[keyof typeof ELECTIONS];
  readonly size: number;
  readonly roundMs: number;
  readonly delayMs: number;
}

function elect({ election, size, roundMs, delayMs }: Setting): GroupElectionWorld {
  const more = { round: milliseconds(roundMs), ringSize: size };
  const world = new GroupElectionWorld({ election, size, suppress: 1, delay: delayMs / 1e3, more }, 1);
  world.start(...from1To(size)).run(60);
  return world;
}

const leadersIn = (world: GroupElectionWorld, size: number): readonly number[] =>
  from1To(size).filter((member) => world.leaderOf(member) === member);

const settings = fc.record({
  size: fc.integer({ min: 2, max: 20 }),
  delayMs: fc.integer({ min: 1, max: 50 }),
  longer: fc.integer({ min: 1, max: 50 }),
});

for (const [name, election] of Object.entries(ELECTIONS)) {
  suite(name, () => {
    test("rounds longer than any message takes: the least number leads", () => {
      fc.assert(
        fc.property(settings, ({ size, delayMs, longer }) => {
          const world = elect({ election, size, roundMs: delayMs + longer, delayMs });
          assert.ok(from1To(size).every((member) => world.leaderOf(member) === 1));
        }),
        { numRuns: 60 },
      );
    });
  });
}

suite("rounds shorter than a message takes", () => {
  const short = { size: 5, roundMs: 5, delayMs: 100 };

  test("time slice: everybody's slice begins before a token has come, and several lead", () => {
    assert.deepEqual(leadersIn(elect({ ...short, election: timeSlice }), 5), [1, 2, 3, 4, 5]);
  });

  test("variable speeds: no token passes the least, so one leads; but tokens cost as LCR's", () => {
    const world = elect({ ...short, election: variableSpeeds });
    assert.deepEqual(leadersIn(world, 5), [1]);
    assert.equal(world.sent.length, 15 + 5);
  });
});

test("time slice: exactly n messages, and the leader knows after n (v + 1) rounds, v being 1", () => {
  for (const size of [2, 5, 9]) {
    const world = elect({ election: timeSlice, size, roundMs: 100, delayMs: 30 });
    assert.equal(world.sent.length, size);
    // It speaks when its slice begins; every hop is heard at the end of its round.
    const rounds = [world.sent[0] ?? 0, world.sent.at(-1) ?? 0].map((at) => Math.round(at / 0.1));
    assert.deepEqual(rounds, [size, 2 * size - 1]);
  }
});

test("variable speeds: n hops of two rounds each, and fewer than 2n messages before the announcement", () => {
  for (const size of [2, 5, 9]) {
    const world = elect({ election: variableSpeeds, size, roundMs: 100, delayMs: 30 });
    const until = world.sent.filter((at) => at < 2 * size * 0.1);
    assert.ok(until.length >= size && until.length < 2 * size, `${until.length}`);
    assert.equal(world.sent.length - until.length, size);
  }
});
