// lane: works, 1 s
// What is true of the majority vote, counted by whoever carries the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../core/random.ts";
import { inAnyOrder } from "../in-any-order.ts";
import { inStep } from "../in-step.ts";
import { places } from "../lecture.ts";
import { carried, knownAt, type Outcome } from "../outcome.ts";
import { voteCast } from "./entry.ts";
import type { VoteSlip } from "./vote.ts";

interface Stood {
  readonly size: number;
  /** Places. */
  readonly by: readonly number[];
  readonly dead?: readonly number[];
  readonly slip?: VoteSlip | null;
}

const cast = ({ size, by, dead = [], slip = null }: Stood) =>
  voteCast({ ids: places(size).map((place) => place + 1), initiators: by, seed: 0, dead }, slip);
const elect = (stood: Stood): Outcome => inStep(cast(stood));
const leaders = ({ leaders: led }: Outcome): readonly number[] => led.map(({ place }) => place + 1);

const sizes = fc.integer({ min: 2, max: 60 });

test("one stands: n - 1 each of asks, votes and news; it knows after 2 delays, all after 3", () => {
  fc.assert(
    fc.property(
      sizes.chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 }))),
      ([size, place]) => {
        const outcome = elect({ size, by: [place] });
        assert.deepEqual(
          ["Ask", "Vote", "Master"].map((kind) => carried(outcome, kind)),
          [size - 1, size - 1, size - 1],
        );
        assert.deepEqual(leaders(outcome), [place + 1]);
        assert.deepEqual(knownAt(outcome), { first: 2, last: 3 });
      },
    ),
  );
});

test("whoever stands, whatever is slow: one leads at most, and never with half of the votes", () => {
  const runs = sizes.chain((size) =>
    fc.record({
      size: fc.constant(size),
      by: fc.subarray([...places(size)], { minLength: 1 }),
      seed: fc.integer({ min: 0, max: 1e6 }),
    }),
  );
  fc.assert(
    fc.property(runs, ({ size, by, seed }) => {
      const outcome = inAnyOrder(cast({ size, by }), new Random(seed));
      assert.ok(leaders(outcome).length <= 1);
      assert.ok(carried(outcome, "Vote") <= size - 1, "everybody votes once");
      if (leaders(outcome).length === 1) assert.equal(outcome.undecided, 0);
    }),
  );
});

test("all stand: everybody votes for itself, and nobody leads", () => {
  const outcome = elect({ size: 5, by: places(5) });
  assert.deepEqual([leaders(outcome), outcome.undecided, carried(outcome, "Vote")], [[], 5, 0]);
});

test("of A, B and C one is dead: who stands leads; two are dead: it does not", () => {
  assert.deepEqual(leaders(elect({ size: 3, by: [0], dead: [3] })), [1]);
  assert.deepEqual(leaders(elect({ size: 3, by: [0], dead: [2, 3] })), []);
});

test("every slip shows", () => {
  const shows = (slip: VoteSlip, stood: Stood, look: (outcome: Outcome) => unknown): void =>
    assert.notDeepEqual(look(elect({ ...stood, slip })), look(elect(stood)), slip);
  shows("votes for all", { size: 3, by: [0, 1] }, leaders);
  shows("half is enough", { size: 4, by: [0, 1, 2], dead: [3] }, leaders);
  shows("informs nobody", { size: 3, by: [0] }, ({ undecided }) => undecided);
  const late = (slip: VoteSlip | null) => {
    const { processes } = cast({ size: 3, by: [], slip });
    processes[1]?.step({ kind: "message", from: 0, way: "on", message: { kind: "Ask", id: 1 } });
    return processes[1]?.step({ kind: "begin" });
  };
  assert.deepEqual(late(null), []);
  assert.notDeepEqual(late("own vote twice"), []);
});
