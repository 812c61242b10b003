// lane: works, 1 s
// Without ids nobody is elected, or everybody: seen round by round, for drawn processes and for LCR and HS.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../core/random.ts";
import { lectures } from "../catalog.ts";
import { inStep } from "../in-step.ts";
import { places } from "../lecture.ts";
import { carried } from "../outcome.ts";
import { Anonymous, drawMachine } from "./machine.ts";
import { Names } from "./names.ts";
import { watchAlike } from "./watch-alike.ts";

test("any process, in rounds, with known n: all stay alike, and none or all are elected", () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(),
      (n, states, seed) => {
        const machine = drawMachine(new Random(seed), states, 3);
        const { rounds, alike, elected, repeats } = watchAlike(places(n).map(() => new Anonymous(machine)));
        const first = rounds.findIndex((state) => Number(state) >= machine.elected);
        const since = first === -1 ? [] : rounds.slice(first);
        assert.ok(
          since.every((state) => Number(state) >= machine.elected),
          "who is elected stays so",
        );
        assert.ok(alike, "after each round all fingerprints are equal");
        assert.ok(elected === 0 || elected === n);
        assert.ok(rounds.length <= states + 1, "so few states come again soon");
        assert.ok(repeats !== null || elected === n, "none is elected, and this goes on for ever");
        ends.add(elected === 0 ? "for ever nobody" : "everybody");
      },
    ),
    { numRuns: 300 },
  );
  assert.equal(ends.size, 2);
});

test("LCR and Hirschberg-Sinclair with equal ids: all are elected by the first messages", () => {
  for (const lecture of [lectures.lcr, lectures.hs]) {
    for (const n of [2, 3, 8]) {
      const outcome = inStep({
        ...lecture.cast({ ids: places(n).map(() => 7), initiators: places(n), seed: 0 }, null),
        most: 1000,
      });
      assert.equal(outcome.leaders.length, n);
      assert.ok(outcome.leaders.every(({ at }) => at === 1));
    }
  }
});

const named = (names: readonly number[]) =>
  inStep({
    ids: names,
    initiators: [],
    rounds: true,
    processes: names.map((name) => new Names(name, names.length)),
    most: names.length ** 2 + 10,
    until: (now) => now === names.length,
  });

test("one name differs: it ends, with one leader; and without that with none", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), fc.nat(29), fc.constantFrom(-1, 1), (n, at, difference) => {
      const alike = places(n).map(() => 5);
      assert.equal(named(alike).leaders.length, 0);
      const outcome = named(alike.with(at % n, 5 + difference));
      assert.equal(outcome.leaders.length, 1);
      assert.ok(!outcome.followed.includes(null));
    }),
  );
});

test("any names: one leads exactly when the ring does not repeat itself on the way round", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1), { minLength: 2, maxLength: 12 }), (names) => {
      const turns = names.map((_, from) => [...names.slice(from), ...names.slice(0, from)].join(" "));
      const repeats = new Set(turns).size < names.length;
      const outcome = named(names);
      assert.equal(outcome.leaders.length, repeats ? 0 : 1);
      assert.equal(carried(outcome), names.length * (names.length - 1));
    }),
  );
});

test("one that begins in another state: no longer are all alike", () => {
  const alike = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
    const machine = drawMachine(new Random(seed), 6, 3);
    return watchAlike(places(5).map((place) => new Anonymous(machine, place === 0 ? 1 : 0))).alike;
  });
  assert.ok(alike.includes(false));
});
