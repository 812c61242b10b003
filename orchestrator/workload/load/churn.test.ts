import assert from "node:assert/strict";
import test from "node:test";
import { type Change, Churn } from "./churn.ts";

test("one at a time, a creation and its deletion take turns", () => {
  const churn = new Churn(7);
  const seen = Array.from({ length: 4 }, () => {
    const change = churn.next();
    churn.done(change);
    return `${change.kind} ${change.name}`;
  });
  assert.deepEqual(seen, ["create 7", "delete 7", "create 8", "delete 8"]);
});

test("however many are under way and whoever is answered first, only what is there is deleted, once", () => {
  const churn = new Churn(0);
  const there = new Set<number>();
  let underWay: Change[] = Array.from({ length: 10 }, () => churn.next());
  const counts = { create: 0, delete: 0 };
  for (let answered = 0; answered < 1000; answered++) {
    const [change] = underWay.splice((answered * 7) % underWay.length, 1);
    assert.ok(change !== undefined);
    if (change.kind === "create") there.add(change.name);
    else assert.ok(there.delete(change.name), `${change.name} was not there`);
    counts[change.kind] += 1;
    churn.done(change);
    underWay = [...underWay, churn.next()];
  }
  assert.ok(Math.abs(counts.create - counts.delete) <= 10, JSON.stringify(counts));
});
