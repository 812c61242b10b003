import assert from "node:assert/strict";
import test from "node:test";
import type { Attempt } from "./attempt-file.ts";
import { cellsOf, leastCapacity } from "./order.ts";

const ARMS = ["polebench", "etcd"];

test("each repetition measures every arm in a drawn order, and shares of what was seen come last", () => {
  const cells = cellsOf({ system: ARMS, scenario: ["shares", "steady", "five"], repetitions: 20, seed: 1 });
  assert.equal(cells.length, 20 * 3 * 2);
  const starts = new Set<string>();
  for (let repetition = 1; repetition <= 20; repetition++) {
    const own = cells.filter((cell) => cell.repetition === repetition);
    assert.deepEqual(own.map(({ scenario }) => scenario).slice(-2), ["shares", "shares"]);
    assert.deepEqual([...new Set(own.map(({ scenario }) => scenario))].sort(), ["five", "shares", "steady"]);
    starts.add(own.map(({ scenario, arm }) => `${scenario} ${arm}`).join());
  }
  assert.ok(starts.size > 5, "chance says who goes first");
});

test("a tree of znodes is asked of nobody who has none", () => {
  const cells = cellsOf({ system: ARMS, scenario: ["bigTree"], repetitions: 1, seed: 1 });
  assert.deepEqual(
    cells.map(({ arm }) => arm),
    ["polebench"],
  );
});

test("the least capacity is that of the slowest in the same repetition, once all are known", () => {
  const attempt = (arm: string, repetition: number, writes: number, judgement: Attempt["judgement"]) => {
    const cell = { arm, repetition, scenario: "steady" };
    return { ...cell, judgement, terms: "", at: "", reason: null, values: { writes3: [writes] } };
  };
  const polebench = attempt("polebench", 1, 30_000, "valid");
  const disturbed = attempt("etcd", 1, 100, "invalid");
  const earlier = attempt("etcd", 2, 200, "valid");
  assert.equal(leastCapacity([polebench, disturbed, earlier], 1, ARMS), null);
  assert.equal(leastCapacity([polebench, disturbed, attempt("etcd", 1, 9_000, "valid")], 1, ARMS), 9_000);
});
