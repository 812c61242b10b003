// lane: works, 1 s
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Heard } from "./member.ts";
import { shareOf, spansOf } from "./timeline.ts";

const line = (member: string, kind: "acts" | "rests", at: number): Heard => ({ member, kind, at, term: 1 });

const told = [
  line("a", "acts", 10),
  line("b", "acts", 50),
  line("a", "rests", 60),
  line("b", "rests", 80),
  line("c", "acts", 95),
];

test("who acted when, and on to the end", () => {
  assert.deepEqual(spansOf(told, 100), [
    { member: "a", from: 10, to: 60 },
    { member: "b", from: 50, to: 80 },
    { member: "c", from: 95, to: 100 },
  ]);
});

test("for how long nobody acted, and several did", () => {
  const spans = spansOf(told, 100);
  assert.deepEqual(shareOf(spans, 0, 100), { nobody: 10 + 15, several: 10 });
  assert.deepEqual(shareOf(spans, 55, 90), { nobody: 10, several: 5 });
  assert.deepEqual(shareOf([], 0, 30), { nobody: 30, several: 0 });
});

test("who rests late is heard in the order of time", () => {
  const late = [line("b", "acts", 30), line("a", "acts", 10), line("a", "rests", 30)];
  assert.deepEqual(shareOf(spansOf(late, 40), 10, 40), { nobody: 0, several: 0 });
});
