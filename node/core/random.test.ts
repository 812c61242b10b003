import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "./random.ts";

const DRAWS = 100_000;
const drawn = (draw: (random: Random) => number): number[] => {
  const random = new Random(5);
  return Array.from({ length: DRAWS }, () => draw(random));
};
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]) => {
  const centre = mean(values);
  return mean(values.map((value) => (value - centre) ** 2));
};
const isNear = (value: number, expected: number, within: number) =>
  assert(Math.abs(value - expected) < within, `${value} is not within ${within} of ${expected}`);

test("the same seed draws the same, another seed something else", () => {
  const draw = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 8 }, () => random.uint32());
  };
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
});

test("what a fork draws does not depend on how often its parent draws afterwards", () => {
  const [one, other] = [new Random(3), new Random(3)];
  const [fork, same] = [one.fork(), other.fork()];
  one.uint32();
  assert.equal(fork.uint32(), same.uint32());
});

test("draws are spread as they are said to be", () => {
  isNear(mean(drawn((random) => random.unit())), 0.5, 0.01);
  isNear(variance(drawn((random) => random.unit())), 1 / 12, 0.005);
  isNear(mean(drawn((random) => random.exponential())), 1, 0.02);
  isNear(mean(drawn((random) => random.normal())), 0, 0.02);
  isNear(variance(drawn((random) => random.normal())), 1, 0.02);
  isNear(mean(drawn((random) => (random.chance(0.3) ? 1 : 0))), 0.3, 0.01);
});

test("whole numbers reach both ends, and a shuffle loses nothing", () => {
  assert.deepEqual(new Set(drawn((random) => random.integer(2, 4))), new Set([2, 3, 4]));
  assert.deepEqual(new Set(new Random(1).shuffle([1, 2, 3, 4])), new Set([1, 2, 3, 4]));
});
