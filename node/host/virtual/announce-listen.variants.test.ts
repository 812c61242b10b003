// lane: works, 5 s
// LE-M, Query, Bye and mapped wake-up in virtual time: what theory says, and what a simulation written apart
// from this one found where it says nothing. T_A = 1.
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupElections } from "../../election/group-catalog.ts";
import { Random } from "../../core/random.ts";
import { seconds } from "../../core/time.ts";
import { firstRound, GroupElectionWorld, type WorldShape } from "./group-election-world.ts";

const RUNS = 2000;
const { "le-m": leM, "le-q": leQ, "le-s": leS, "le-mapped": mapped } = groupElections;

function isAbout(values: readonly number[], expected: number, what: string, more = 0.0005): void {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const room = 4 * Math.sqrt(squares / (values.length - 1) / values.length) + more;
  assert.ok(
    Math.abs(mean - expected) <= room,
    `${what}: ${mean.toFixed(4)}, expected ${expected} +- ${room}`,
  );
}

const runs = <T>(of: (seed: number) => T): T[] => Array.from({ length: RUNS }, (_, seed) => of(seed));
const all = (size: number): number[] => Array.from({ length: size }, (_, index) => index + 1);

/** Until all follow one that leads; who that is is not known before. */
function agreed(shape: WorldShape, seed: number): GroupElectionWorld {
  const world = new GroupElectionWorld(shape, seed).start(...all(shape.size));
  assert.ok(world.run(1000, () => world.agreed !== null));
  return world;
}

const SHAPE = { election: leM, size: 10, suppress: 0.5 };
const LE_M: readonly (readonly [Partial<WorldShape>, number, number])[] = [
  [{}, 0.0955, 2],
  [{ shared: 0.4 }, 0.7621, 3.969],
  [{ independent: 0.4 }, 2.683, 6.907],
];

for (const [loss, delay, messages] of LE_M) {
  test(`LE-M of 10 begins together, ${JSON.stringify(loss)}: until latched`, () => {
    const worlds = runs((seed) => {
      const world = new GroupElectionWorld({ ...SHAPE, ...loss }, seed).start(...all(10));
      assert.ok(world.run(1000, () => world.isLatched));
      return { delay: world.now, sent: world.sent.length };
    });
    isAbout(
      worlds.map((each) => each.delay),
      delay,
      "delay",
      0.004,
    );
    isAbout(
      worlds.map((each) => each.sent),
      messages,
      "announcements",
      0.02,
    );
  });
}

test("exponential wake-up sends less among a hundred and more among ten", () => {
  const sent = (size: number, steepness: number): readonly number[] => {
    const shape = { election: leS, size, suppress: 1, delay: 0.1, more: { steepness } };
    return runs((seed) => firstRound(shape, seed).inSuppress);
  };
  // Uniform: 3.82 and 15.1.
  isAbout(sent(10, 5), 4.041, "of ten");
  isAbout(sent(100, 5), 8.161, "of a hundred");
});

test("mapped wake-up: with a slot for each the greatest of ten leads after T_S/20 and D", () => {
  const shape = { election: mapped, size: 10, suppress: 0.5, more: { slots: 10, worth: 0 } };
  isAbout(
    runs((seed) => firstRound(shape, seed).delay),
    0.5 / 20 + 0.05,
    "delay",
  );
});

test("a smaller joiner that asks waits for 2D(1 - D/T_A) instead of half a T_A", () => {
  const shape = { election: leQ, size: 6, suppress: 0, more: { query: seconds(0.2) } };
  const delays = runs((seed) => {
    const world = new GroupElectionWorld(shape, seed).start(2, 3, 4, 5, 6);
    world.run(20 + new Random(seed, 2).unit());
    const begun = world.now;
    world.start(1);
    assert.ok(world.run(1000, () => world.isAgreedOn(6)));
    return world.now - begun;
  });
  isAbout(delays, 2 * 0.05 * (1 - 0.05), "until it follows");
});

test("a leader that says Bye: without loss the next is agreed on after 2D and its silence", () => {
  const shape = { election: leS, size: 5, suppress: 0.5, listen: 2.5, more: { bye: 1 } };
  const delays = runs((seed) => {
    const world = agreed(shape, seed);
    world.run(20 + new Random(seed, 1).unit());
    const death = world.now;
    world.leave(5);
    assert.ok(world.run(1000, () => world.isAgreedOn(4)));
    return world.now - death;
  });
  isAbout(delays, 2 * 0.05 + 0.25, "until agreed");
});

test("three copies of a Bye reach four listeners in 99 % of cases, at a loss of 10 %", () => {
  const shape = { election: leS, size: 5, suppress: 0.5, independent: 0.1, more: { bye: 3 } };
  const reached = runs((seed) => {
    const world = agreed(shape, seed);
    world.run(20);
    assert.ok(world.isAgreedOn(5));
    world.leave(5);
    world.run(20.05);
    return [1, 2, 3, 4].every((member) => world.leaderOf(member) !== 5) ? 1 : 0;
  });
  isAbout(reached, (1 - 0.1 ** 3) ** 4, "share");
});
