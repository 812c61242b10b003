import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Random } from "#node/core/random.ts";
import { microseconds, milliseconds } from "#node/core/time.ts";
import type { Jitter, LinkShape } from "../../../topology/topology.ts";
import { table } from "../distribution.ts";
import { LOST, NO_BIT, QUEUE_TIME, Way } from "./way.ts";

const plain: LinkShape = {
  delay: milliseconds(26.63),
  jitter: null,
  loss: 0,
  rate: Number.POSITIVE_INFINITY,
};
const jitter = (halfLife = 0): Jitter => ({
  distribution: "pareto",
  scale: microseconds(533),
  halfLife: microseconds(halfLife),
});
const way = (shape: Partial<LinkShape>, ordered = true): Way =>
  new Way({ ...plain, ...shape }, ordered, new Random(7));

/** The delays of `count` packets, one every `spacing` microseconds. */
function delays(tested: Way, count: number, spacing: number): number[] {
  return Array.from(
    { length: count },
    (_, index) => tested.enter(index * spacing, 100, 0.5) - index * spacing,
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const sd = (values: readonly number[]): number => {
  const average = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - average) ** 2)));
};

suite("delay and jitter", () => {
  test("without jitter every packet takes the delay", () => {
    assert.ok(delays(way({}), 1000, 100).every((delay) => Math.abs(delay - 26_630) < 1e-6));
  });

  test("with jitter the mean stays, and the sd is the table's", () => {
    const seen = delays(way({ jitter: jitter() }), 100_000, 20_000);
    assert.ok(Math.abs(mean(seen) - 26_630) < 5, `mean ${mean(seen)}`);
    assert.ok(Math.abs(sd(seen) / (533 * table("pareto").sd) - 1) < 0.02, `sd ${sd(seen)}`);
  });

  test("a half-life makes slow swings of the same spread: half of a deviation is left after it", () => {
    const seen = delays(way({ jitter: jitter(100_000) }), 200_000, 20_000);
    assert.ok(Math.abs(mean(seen) - 26_630) < 20, `mean ${mean(seen)}`);
    assert.ok(Math.abs(sd(seen) / (533 * table("pareto").sd) - 1) < 0.05, `sd ${sd(seen)}`);
    const average = mean(seen);
    const lagged = mean(
      seen.slice(5).map((delay, index) => (delay - average) * ((seen[index] ?? 0) - average)),
    );
    const correlation = lagged / sd(seen) ** 2;
    // The swing is normal and has 0.5 after five packets; seen through a Pareto's quantiles it is somewhat
    // less.
    assert.ok(correlation > 0.35 && correlation < 0.52, `correlation ${correlation}`);
  });
});

suite("order", () => {
  test("an ordered way never lets a packet overtake, however dense they come", () => {
    const tested = way({ jitter: jitter() });
    const due = Array.from({ length: 10_000 }, (_, index) => tested.enter(index * 10, 100, 0.5));
    assert.ok(due.every((time, index) => index === 0 || time > (due[index - 1] ?? 0)));
    assert.equal(tested.counters.reordered, 0);
  });

  test("a free one does, and counts it: 27 % of packets that are 200 us apart", () => {
    const tested = way({ jitter: jitter() }, false);
    delays(tested, 20_000, 200);
    const part = tested.counters.reordered / 20_000;
    assert.ok(part > 0.2 && part < 0.6, `${part}`);
  });

  test("a way that became shorter does not overtake what is under way on the long one", () => {
    const tested = way({});
    const last = tested.enter(0, 100, 0.5);
    tested.shape({ ...plain, delay: milliseconds(1) });
    assert.ok(tested.enter(10, 100, 0.5) > last);
    assert.equal(tested.enter(100_000, 100, 0.5), 101_000);
  });
});

suite("loss, rate and cuts", () => {
  test("the luck decides: below the loss a packet is lost", () => {
    const tested = way({ loss: 0.1 });
    assert.equal(tested.enter(0, 100, 0.09), LOST);
    assert.notEqual(tested.enter(0, 100, 0.1), LOST);
    assert.equal(tested.counters.lost, 1);
  });

  test("a rate makes packets wait for each other: 1250 bytes at 10 Mbit/s are a millisecond", () => {
    const tested = way({ rate: 10e6, delay: microseconds(0) });
    assert.deepEqual(
      [0, 0, 0].map((now) => Math.round(tested.enter(now, 1250, 0.5))),
      [1000, 2000, 3000],
    );
  });

  test("its queue is bounded, and says what it refused", () => {
    const tested = way({ rate: 10e6, delay: microseconds(0) });
    const due = Array.from({ length: 1000 }, () => tested.enter(0, 1250, 0.5));
    assert.ok(Math.max(...due) <= QUEUE_TIME + 1001);
    assert.equal(tested.counters.overflowed, due.filter((time) => time === LOST).length);
    assert.ok(tested.counters.overflowed > 700);
  });

  test("a cut way takes nothing until it is healed", () => {
    const tested = way({});
    tested.isCut = true;
    assert.equal(tested.enter(0, 100, 0.5), LOST);
    tested.isCut = false;
    assert.equal(tested.enter(0, 100, 0.5), 26_630);
    assert.equal(tested.counters.cut, 1);
  });
});

suite("packets that come twice, or wrong", () => {
  const share = (tested: () => boolean): number =>
    Array.from({ length: 20_000 }, tested).filter(Boolean).length / 20_000;

  test("as many come twice as are asked for, and none when none is", () => {
    const doubling = way({ duplicate: 0.1 });
    assert.ok(Math.abs(share(() => doubling.isTwice()) - 0.1) < 0.01);
    const usual = way({});
    assert.equal(
      share(() => usual.isTwice()),
      0,
    );
  });

  test("as many have a wrong bit as are asked for, any of its bits, and none when none is", () => {
    const spoiling = way({ corrupt: 0.5 });
    const bits = Array.from({ length: 20_000 }, () => spoiling.wrongBit(4)).filter((bit) => bit !== NO_BIT);
    assert.ok(Math.abs(bits.length / 20_000 - 0.5) < 0.02);
    assert.deepEqual([Math.min(...bits), Math.max(...bits), new Set(bits).size], [0, 31, 32]);
    const usual = way({});
    assert.equal(
      share(() => usual.wrongBit(4) !== NO_BIT),
      0,
    );
  });

  test("both end when the shape says so", () => {
    const tested = way({ duplicate: 1, corrupt: 1 });
    assert.ok(tested.isTwice() && tested.wrongBit(1) !== NO_BIT);
    tested.shape(plain);
    assert.ok(!tested.isTwice() && tested.wrongBit(1) === NO_BIT);
  });
});
