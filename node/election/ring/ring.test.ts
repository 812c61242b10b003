// lane: works, 4 s
// What the lecture says of the ring election, counted by the host that carries the messages; "in step" is a
// millisecond a hop.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { type Duration, milliseconds } from "../../core/time.ts";
import { arrangements, carried, rehearse, spread, tokensOn } from "../../testing/election/contest-cast.ts";
import { deployment1, ids, outcomeOf, timesOf } from "../../testing/election/peer-cast.ts";
import { ring as entry } from "./entry.ts";

const ms = milliseconds;
const RULES = { cache: true, flag: false } as const;
const WAITING = { electionRetry: ms(100_000) };

interface Wanted {
  readonly initiatorCache?: boolean;
  readonly mutant?: Mutant;
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
}

/** These begin at once, all others with what they hear. */
function begun(
  ring: readonly number[],
  by: readonly number[],
  { initiatorCache = true, ...stage }: Wanted = {},
) {
  const play = rehearse({ entry, ring, options: { ...WAITING, initiatorCache }, ...stage });
  play.enter(ms(0), ...ring.map(serverId)).elect(ms(0), ...by.map(serverId));
  play.play(ms(50_000));
  const leaders = new Set([...play.elected.values()].map(({ leader }) => Number(leader)));
  const { token = 0, elected = 0 } = carried(play);
  const last = Math.max(...timesOf(play, ms(0)));
  return { leaders: [...leaders], followers: play.elected.size, token, elected, last };
}

const LECTURE = [12, 3, 32, 5, 80, 6];
const hopsFrom = (ring: readonly number[], from: number, to: number): number =>
  (ring.indexOf(to) - ring.indexOf(from) + ring.length) % ring.length || ring.length;

suite("one initiator", () => {
  test("d hops to the winner, around with its id, around with the news, one after the other", () => {
    for (const initiatorCache of Object.values(RULES))
      for (const n of [2, 3, 5, 8]) {
        const ring = Array.from({ length: n }, (_, index) => index + 1);
        const totals = ring.map((start) => {
          const { leaders, followers, token, elected, last } = begun(ring, [start], { initiatorCache });
          const d = start === n ? 0 : hopsFrom(ring, start, n);
          assert.deepEqual([leaders, followers, token, elected], [[n], n, d + n, n]);
          // The news reaches the last one a hop before it is home.
          assert.equal(last, d + n + n - 1);
          return token + elected;
        });
        assert.deepEqual([Math.min(...totals), Math.max(...totals)], [2 * n, 3 * n - 1]);
        assert.equal(totals.reduce((all, one) => all + one) / n, (5 * n - 1) / 2, "the mean");
      }
  });

  test("on the ring of the lecture: 9 + 6 from 3, 11 + 6 from 6", () => {
    for (const initiatorCache of Object.values(RULES)) {
      const counts = [3, 6].map((start) => begun(LECTURE, [start], { initiatorCache }));
      assert.deepEqual(
        counts.map(({ token, elected, leaders }) => [token, elected, leaders]),
        [
          [9, 6, [80]],
          [11, 6, [80]],
        ],
      );
    }
  });
});

suite("many initiators", () => {
  test("3 and 6: 15 + 6 by the cache; 6 and 12: 11 + 6; all: 13 + 6, as LCR, by both rules", () => {
    const of = (by: readonly number[], wanted: Wanted = {}) => {
      const { leaders, token, elected } = begun(LECTURE, by, wanted);
      return [leaders, token, elected];
    };
    assert.deepEqual(of([3, 6]), [[80], 15, 6]);
    assert.deepEqual(of([6, 12]), [[80], 11, 6]);
    for (const initiatorCache of Object.values(RULES))
      assert.deepEqual(of(LECTURE, { initiatorCache }), [[80], 13, 6]);
  });

  test("forwarded is meant of one run: with one flag nobody is elected, or 12", () => {
    assert.deepEqual(begun(LECTURE, [3, 6], { mutant: "flag-for-all-runs" }).leaders, []);
    assert.ok(begun(LECTURE, [3, 6], { mutant: "smaller-passed-on" }).leaders.includes(12));
  });

  test("by the cache: lower runs go to the next higher initiator, the highest to the winner", () => {
    const stage = fc
      .uniqueArray(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 60 })
      .chain((ring) => fc.record({ ring: fc.constant(ring), by: fc.subarray(ring, { minLength: 1 }) }));
    fc.assert(
      fc.property(stage, ({ ring, by }) => {
        const [top, winner] = [Math.max(...by), Math.max(...ring)];
        const toNext = (from: number): number =>
          Math.min(...by.filter((other) => other > from).map((other) => hopsFrom(ring, from, other)));
        const lower = by.filter((one) => one !== top).reduce((sum, one) => sum + toNext(one), 0);
        const toWinner = top === winner ? 0 : hopsFrom(ring, top, winner);
        const { leaders, followers, token, elected } = begun(ring, by);
        assert.deepEqual([leaders, followers, elected], [[winner], ring.length, ring.length]);
        assert.equal(token, lower + toWinner + ring.length);
      }),
      { numRuns: 60 },
    );
  });

  test("whatever is slow, whoever begins: the greatest is elected by all, and nobody twice", () => {
    const stage = fc.record({
      ring: fc.uniqueArray(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 20 }),
      initiatorCache: fc.boolean(),
      waits: fc.infiniteStream(fc.integer({ min: 1, max: 20_000 })),
    });
    fc.assert(
      fc.property(stage, ({ ring, initiatorCache, waits }) => {
        const slow = new Map<string, number>();
        const delay = (from: ServerId, to: ServerId) => {
          const pair = `${from} ${to}`;
          slow.set(pair, slow.get(pair) ?? Number(waits.next().value));
          return ms((slow.get(pair) ?? 0) / 1000);
        };
        const by = ring.filter((_, at) => at === 0 || Number(waits.next().value) < 8000);
        const { leaders, followers, elected, token } = begun(ring, by, { initiatorCache, delay });
        assert.deepEqual([leaders, followers, elected], [[Math.max(...ring)], ring.length, ring.length]);
        assert.ok(token <= ring.length * (by.length + 1), `${token} hops of ${by.length} runs`);
      }),
      { numRuns: 60 },
    );
  });

  test("when all begin it is LCR, whatever the arrangement", () => {
    for (const n of [3, 4, 5]) {
      const costs = arrangements(n).map((ring) => tokensOn(entry, ring));
      const lcr: Readonly<Record<number, string>> = {
        3: "5:1 6:1",
        4: "7:1 8:3 9:1 10:1",
        5: "9:1 10:6 11:7 12:5 13:3 14:1 15:1",
      };
      assert.equal(spread(costs), lcr[n]);
    }
  });
});

const [p1, p2, p3, p4, p5] = ids(1, 2, 3, 4, 5) as [ServerId, ServerId, ServerId, ServerId, ServerId];

for (const [order, first, last] of [
  [[1, 2, 3, 4, 5], 70.2, 135.4],
  [[5, 4, 3, 2, 1], 77.1, 108.7],
] as const) {
  test(`Deployment 1, p5 dies, in order ${order.join(" ")}: the times`, () => {
    const play = rehearse({ entry, ring: order, delay: deployment1 });
    play.start(ms(0), p1, p2, p3, p4, p5).play(ms(900)).crash(ms(1000), p5).play(ms(3000));
    assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
    assert.deepEqual(
      timesOf(play, ms(1000)).map((time) => Number(time.toFixed(1))),
      [first, last],
    );
  });
}
