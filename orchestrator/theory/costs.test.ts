// lane: works, 2 s
// What elections cost is held against what is said of them, and a mistake in an algorithm shows there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { factorial } from "#node/theory/arrangement.ts";
import { Random } from "#node/core/random.ts";
import { type LectureName, lectures } from "#node/theory/catalog.ts";
import type { Lecture } from "#node/theory/lecture.ts";
import { costsOf } from "./costs.ts";

const random = () => new Random(1);
const names = Object.keys(lectures) as readonly LectureName[];

for (const name of names) {
  test(`${name}: nothing counted contradicts what is said of it`, () => {
    for (const n of [2, 3, 4, 5, 6, 33])
      assert.deepEqual(costsOf(lectures[name], n, random()).contradictions, [], `n = ${n}`);
  });
}

test("few arrangements are all played, of many some are drawn, and those that are known to cost most", () => {
  const few = costsOf(lectures.lcr, 5, random());
  assert.deepEqual([few.all, few.tried], [true, 24]);
  assert.deepEqual(few.messages, { least: 9, mean: 137 / 12, most: 15 });
  const many = costsOf(lectures.lcr, 100, random());
  assert.deepEqual([many.all, many.tried], [false, 200]);
  assert.deepEqual([many.messages.least, many.messages.most], [199, 5050]);
  assert.ok(Math.abs(many.messages.mean - (lectures.lcr.theory.mean?.of(100) ?? 0)) < 25);
});

test("of thousands of processes few elections are drawn, and too many arrangements to count are none", () => {
  const { n, tried, messages, first, contradictions } = costsOf(lectures.hs, 3000, random());
  assert.ok(tried < 200);
  assert.equal(factorial(100_000), Infinity);
  assert.deepEqual(contradictions, []);
  assert.equal(messages.least, lectures.hs.theory.best?.of(n));
  assert.equal(first.most, lectures.hs.theory.first?.of(n));
});

/** The same with this mistake in it. */
const withSlip = (lecture: Lecture, slip: string): Lecture => ({
  ...lecture,
  cast: (one) => ({ ...lecture.cast(one, slip), most: 20_000 }),
});

test("a mistake shows as a contradiction, and is told in a sentence", () => {
  const told = (name: LectureName, slip: string) =>
    costsOf(withSlip(lectures[name], slip), 5, random()).contradictions.join("\n");
  assert.match(told("lcr", "own id goes on"), /5 of 5 never knew who leads/);
  assert.match(told("hs", "one side"), /never knew|messages in the mean/);
  assert.match(told("bully", "coordinator before the answer"), /took themselves for the leader/);
  assert.match(told("time-slice", "speaks in any case"), /took themselves for the leader|should be the most/);
  assert.match(
    told("variable-speeds", "nothing dropped"),
    /took themselves for the leader|should be the most/,
  );
});

test("a formula that is not so is contradicted", () => {
  const { lcr } = lectures;
  const of = (law: "best" | "mean" | "worst", say: (n: number) => number) =>
    costsOf({ ...lcr, theory: { ...lcr.theory, [law]: { label: "", of: say } } }, 5, random()).contradictions;
  assert.deepEqual(
    of("best", (n) => 2 * n),
    ["n = 5: 9 messages, and 10 should be the least"],
  );
  assert.deepEqual(
    of("worst", (n) => 2 * n),
    ["n = 5: 15 messages, and 10 should be the most"],
  );
  assert.match(of("mean", (n) => n * Math.log2(n)).join(), /^n = 5: 11\.41\d+ messages in the mean/);
});

test("what a lecture prints is what is so, or it is told to be wrong", () => {
  for (const name of names)
    for (const { label, of, wrong } of lectures[name].theory.printed) {
      const { best, mean, worst } = lectures[name].theory;
      const isSo = [best, mean, worst].some((law) =>
        [3, 4, 5, 6, 7, 8, 17, 33].every((n) => law?.of(n) === of(n)),
      );
      assert.equal(isSo, wrong === null, `${name}: ${label}`);
    }
});
