// What the lecture says of LCR, counted by the host that carries the messages, and what hardens it.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ServerId, serverId } from "../../core/identity.ts";
import { microseconds, milliseconds } from "../../core/time.ts";
import { arrangements, carried, rehearse, spread, tokensOn } from "../../testing/election/contest-cast.ts";
import { deployment1, ids, outcomeOf, timesOf } from "../../testing/election/peer-cast.ts";
import { lcr as entry } from "./entry.ts";

const ms = milliseconds;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** How far each key travels: to the next greater one, and the greatest all around. */
function hopsOn(ring: readonly number[]): number {
  return sum(
    ring.map((key, at) => {
      const onward = [...ring.slice(at + 1), ...ring.slice(0, at + 1)];
      return onward.findIndex((other) => other >= key) + 1;
    }),
  );
}

test("over all arrangements: 2n - 1 hops at least, n H(n) in the mean, n(n + 1)/2 at most", () => {
  const expected: Readonly<Record<number, string>> = {
    2: "3:1",
    3: "5:1 6:1",
    4: "7:1 8:3 9:1 10:1",
    5: "9:1 10:6 11:7 12:5 13:3 14:1 15:1",
  };
  const harmonic = (n: number): number => sum(Array.from({ length: n }, (_, index) => 1 / (index + 1)));
  for (const n of [2, 3, 4, 5, 6, 7]) {
    const costs = arrangements(n).map((ring) => tokensOn(entry, ring));
    assert.deepEqual([Math.min(...costs), Math.max(...costs)], [2 * n - 1, (n * (n + 1)) / 2]);
    assert.ok(Math.abs(sum(costs) / costs.length - n * harmonic(n)) < 1e-9, `the mean for n = ${n}`);
    if (expected[n] !== undefined) assert.equal(spread(costs), expected[n]);
  }
});

test("the rings of the lectures, in the direction of travel and against it", () => {
  const both = (...ring: number[]) => [tokensOn(entry, ring), tokensOn(entry, ring.toReversed())];
  assert.deepEqual(both(3, 37, 19, 4, 25), [11, 11]);
  assert.deepEqual(both(12, 3, 32, 5, 80, 6), [13, 15]);
  assert.deepEqual(both(1, 2, 3, 4, 5), [9, 15], "rising along the way is the best case, falling the worst");
});

test("the arrangement alone decides how many hops there are, whatever is slow and whoever begins", () => {
  const run = fc.record({
    size: fc.integer({ min: 2, max: 60 }),
    seed: fc.infiniteStream(fc.integer({ min: 0, max: 20_000 })),
  });
  fc.assert(
    fc.property(run, ({ size, seed }) => {
      const draw = (): number => Number(seed.next().value);
      const ring = Array.from({ length: size }, (_, index) => index + 1)
        .map((id) => [draw(), id] as const)
        .sort(([a], [b]) => a - b)
        .map(([, id]) => id);
      const slow = new Map<string, number>();
      const play = rehearse({
        entry,
        ring,
        // Longer than all of it takes: nothing is said again.
        options: { electionRetry: ms(100_000) },
        delay(from, to) {
          const pair = `${from} ${to}`;
          slow.set(pair, slow.get(pair) ?? draw() + 1);
          return microseconds(slow.get(pair) ?? 0);
        },
      });
      play.enter(ms(0), ...ring.map(serverId));
      for (const id of ring) play.elect(microseconds(draw()), serverId(id));
      play.play(ms(50_000));
      assert.deepEqual(carried(play), { token: hopsOn(ring), elected: size });
      assert.ok([...play.elected.values()].every(({ leader, round }) => leader === size && round === 1));
    }),
    { numRuns: 60 },
  );
});

const [p1, p2, p3, p4, p5] = ids(1, 2, 3, 4, 5) as [ServerId, ServerId, ServerId, ServerId, ServerId];

for (const [ring, first, last, messages] of [
  // Where keys rise, seven hops and four for the announcement.
  [[1, 2, 3, 4, 5], 70.2, 135.4, 7 + 4],
  // p1 hears of the death after the tokens: three have gone to p5, and their owners were told of it.
  [[5, 4, 3, 2, 1], 77.1, 108.7, 10 + 4 + 3 + 3],
] as const) {
  test(`Deployment 1, p5 dies, in order ${ring.join(" ")}: the times and the messages`, () => {
    const play = rehearse({ entry, ring, delay: deployment1 });
    play.start(ms(0), p1, p2, p3, p4, p5).play(ms(900));
    const before = play.sent.length;
    play.crash(ms(1000), p5).play(ms(3000));
    assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
    assert.deepEqual(
      timesOf(play, ms(1000)).map((time) => Number(time.toFixed(1))),
      [first, last],
    );
    assert.equal(play.sent.length - before, messages);
  });
}

test("the best key leads, not the highest id; a key moves no more within its round", () => {
  const play = rehearse({ entry, ring: [1, 2, 3], score: (self) => 10 - self });
  play.start(ms(0), p1, p2, p3).play(ms(900));
  assert.deepEqual(outcomeOf(play), ["p1: p1", "p2: p1", "p3: p1"]);
});

test("three of five die: the others elect nobody, however often they ask", () => {
  const play = rehearse({ entry, ring: [1, 2, 3, 4, 5] });
  play.start(ms(0), p1, p2, p3, p4, p5).play(ms(900));
  play.crash(ms(1000), p5).crash(ms(1000), p4).crash(ms(1000), p3).play(ms(60_000));
  assert.deepEqual(
    [...play.elected.values()].filter(({ at }) => at > ms(1000)),
    [],
  );
  const minority = rehearse({ entry, ring: [1, 2, 3, 4, 5], mutant: "token-without-quorum" });
  minority.start(ms(0), p1, p2).play(ms(5000));
  assert.deepEqual(outcomeOf(minority), ["p1: p2", "p2: p2"], "without the quorum on the token they would");
});

test("who passed the token on and dies is closed around at once, not when the retry timer fires", () => {
  const story = (mutant: "gap-not-closed" | null) => {
    const play = rehearse({ entry, ring: [1, 2, 3, 4, 5], delay: () => ms(10), mutant });
    // p1 dies with the token of p5 in its hands.
    play.start(ms(0), p1, p2, p3, p4, p5).crash(ms(5), p1).play(ms(300));
    return outcomeOf(play);
  };
  assert.deepEqual(story(null), ["p2: p5", "p3: p5", "p4: p5", "p5: p5"]);
  assert.deepEqual(story("gap-not-closed"), []);
});

test("who starts waits until everybody has been heard of, so that the best takes part", () => {
  const play = rehearse({ entry, ring: [1, 2, 3] });
  play.start(ms(0), p1, p2).start(ms(100), p3).play(ms(1000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  const late = rehearse({ entry, ring: [1, 2, 3] });
  late.start(ms(0), p1, p2).start(ms(300), p3).play(ms(1000));
  assert.deepEqual(outcomeOf(late), ["p1: p2", "p2: p2", "p3: p2"], "after that nobody is unseated");
});
