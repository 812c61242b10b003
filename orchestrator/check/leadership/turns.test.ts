// lane: works, 1 s
import assert from "node:assert/strict";
import { test } from "node:test";
import { outOfTurn } from "./turns.ts";

/** `a3`: the member a acts in term 3. One after the other. */
const told = (...words: readonly string[]): string[] =>
  outOfTurn(words.map((word, at) => ({ at, member: word.slice(0, 1), term: Number(word.slice(1)) })));

test("each came after those who led before, and may have gone without leading", () => {
  assert.deepEqual(told(), []);
  assert.deepEqual(told("a0", "b1", "c4", "a5"), []);
});

test("who lost its connection acts on in its own term", () => {
  assert.deepEqual(told("a0", "a0", "b1", "a0"), []);
});

test("who was left out is seen when it leads after all", () => {
  assert.deepEqual(told("a0", "c2", "b1"), ["b acts in term 1 after somebody did in term 2"]);
});

test("two take themselves for the same", () => {
  assert.deepEqual(told("a0", "b0"), ["b and a both act in term 0"]);
});

test("in the order of time, however they were heard", () => {
  const acts = [
    { at: 20, member: "b", term: 1 },
    { at: 10, member: "a", term: 0 },
  ];
  assert.deepEqual(outOfTurn(acts), []);
});
