// What is true of Hirschberg-Sinclair, counted by the host that carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ServerId, serverId } from "../../core/identity.ts";
import { microseconds, milliseconds } from "../../core/time.ts";
import { arrangements, carried, rehearse, spread, tokensOn } from "../../testing/election/contest-cast.ts";
import { deployment1, ids, outcomeOf, timesOf } from "../../testing/election/peer-cast.ts";
import { hs as entry } from "./entry.ts";

const ms = milliseconds;

test("over all arrangements the least, the mean and the most are as computed", () => {
  const expected: readonly (readonly [n: number, least: number, mean: number, most: number])[] = [
    [2, 10, 10, 10],
    [3, 23, 23, 23],
    [4, 28, 88 / 3, 32],
    [5, 49, 158 / 3, 55],
    [6, 54, 306 / 5, 68],
    [7, 59, 1051 / 15, 78],
  ];
  for (const [n, least, mean, most] of expected) {
    const costs = arrangements(n).map((ring) => tokensOn(entry, ring));
    assert.deepEqual([Math.min(...costs), Math.max(...costs)], [least, most]);
    assert.ok(Math.abs(costs.reduce((all, one) => all + one) / costs.length - mean) < 1e-9);
    if (n === 5) assert.equal(spread(costs), "49:8 53:4 55:12");
  }
});

test("the rings of the lectures, and one that costs the most", () => {
  assert.equal(tokensOn(entry, [3, 37, 19, 4, 25]), 55);
  assert.equal(tokensOn(entry, [12, 3, 32, 5, 80, 6]), 64);
  assert.equal(tokensOn(entry, [7, 1, 2, 6, 3, 5, 4]), 78);
  assert.equal(tokensOn(entry, [1, 2, 3, 4, 5]), 49);
});

test("bit reversal costs 3nm + 2n on n = 2^m; one local maximum 5n + 4(2^K - 2)", () => {
  const reversed = (n: number, m: number) =>
    Array.from({ length: n }, (_, index) => {
      const bits = index.toString(2).padStart(m, "0");
      return Number.parseInt(bits.split("").toReversed().join(""), 2) + 1;
    });
  for (const m of [2, 3, 4, 5])
    assert.equal(tokensOn(entry, reversed(2 ** m, m)), 3 * 2 ** m * m + 2 ** (m + 1));
  for (const n of [5, 12, 33]) {
    const rising = Array.from({ length: n }, (_, index) => index + 1);
    assert.equal(tokensOn(entry, rising), 5 * n + 4 * (2 ** Math.ceil(Math.log2(n)) - 2));
  }
});

test("never more than the bound, and elected after 2(2^K - 1) + n hops when all are in step", () => {
  const run = fc.uniqueArray(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 60 });
  fc.assert(
    fc.property(run, (ring) => {
      const n = ring.length;
      const last = Math.ceil(Math.log2(n));
      let bound = 5 * n;
      for (let k = 1; k < last; k++) bound += 4 * 2 ** k * Math.floor(n / (2 ** (k - 1) + 1));
      const play = rehearse({ entry, ring, options: { electionRetry: ms(100_000) } });
      play.start(ms(0), ...ring.map(serverId)).play(ms(50_000));
      const { token = 0, elected } = carried(play);
      assert.ok(token <= bound, `${token} of ${bound}`);
      assert.equal(elected, n);
      const [first] = timesOf(play, ms(0));
      assert.equal(first, 2 * (2 ** last - 1) + n);
      assert.ok([...play.elected.values()].every(({ leader }) => leader === Math.max(...ring)));
    }),
    { numRuns: 60 },
  );
});

test("the greatest is elected by all whatever is slow and whoever begins", () => {
  const run = fc.record({
    ring: fc.uniqueArray(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 20 }),
    waits: fc.infiniteStream(fc.integer({ min: 1, max: 20_000 })),
  });
  fc.assert(
    fc.property(run, ({ ring, waits }) => {
      const slow = new Map<string, number>();
      const delay = (from: ServerId, to: ServerId) => {
        const pair = `${from} ${to}`;
        slow.set(pair, slow.get(pair) ?? Number(waits.next().value));
        return microseconds(slow.get(pair) ?? 0);
      };
      const play = rehearse({ entry, ring, delay, options: { electionRetry: ms(100_000) } });
      play.enter(ms(0), ...ring.map(serverId));
      for (const id of ring) play.elect(microseconds(Number(waits.next().value)), serverId(id));
      play.play(ms(90_000));
      assert.equal(play.elected.size, ring.length);
      assert.ok([...play.elected.values()].every(({ leader }) => leader === Math.max(...ring)));
      assert.equal(carried(play)["token"], tokensOn(entry, ring), "and costs as much");
    }),
    { numRuns: 60 },
  );
});

const [p1, p2, p3, p4, p5] = ids(1, 2, 3, 4, 5) as [ServerId, ServerId, ServerId, ServerId, ServerId];

test("Deployment 1, p5 dies: the times and the messages", () => {
  const play = rehearse({ entry, ring: [1, 2, 3, 4, 5], delay: deployment1 });
  play.start(ms(0), p1, p2, p3, p4, p5).play(ms(1900));
  const before = play.sent.length;
  play.crash(ms(2000), p5).play(ms(4000));
  assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
  assert.deepEqual(
    timesOf(play, ms(2000)).map((time) => Number(time.toFixed(1))),
    [277.6, 342.8],
  );
  // One probe passes p1 before that has heard of the death; its owner is told so, and p1 says it again.
  assert.equal(play.sent.length - before, 28 + 4 + 2);
});

test("a neighbour that dies with probes in its hands is closed around on both sides, at once", () => {
  const story = (mutant: "gap-not-closed" | null) => {
    const play = rehearse({ entry, ring: [1, 2, 3, 4, 5], delay: () => ms(10), mutant });
    play.start(ms(0), p1, p2, p3, p4, p5).crash(ms(5), p1).play(ms(390));
    return outcomeOf(play);
  };
  assert.deepEqual(story(null), ["p2: p5", "p3: p5", "p4: p5", "p5: p5"]);
  assert.deepEqual(story("gap-not-closed"), []);
});
