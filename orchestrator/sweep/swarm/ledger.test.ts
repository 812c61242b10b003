// Who has which cells, when tasks come, go, are slow and come back.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Cell } from "../cell.ts";
import type { Row } from "../row.ts";
import { Ledger } from "./ledger.ts";

const cell = (map: number): Cell => ({
  place: { kind: "drawn", map },
  oracle: "latency",
  election: "pole",
  seed: 1,
  conditions: { servers: 3, rate: "40/s", duration: "16s" },
});
const idOf = ({ place }: Cell): string => (place.kind === "drawn" ? `c${place.map}` : place.name);
const row = (map: number, outage = 100): Row =>
  ({ id: `c${map}`, map, outage_ms: outage, processor_s: Math.random() }) as Row;
const ledgerOf = (count: number): Ledger =>
  new Ledger(
    Array.from({ length: count }, (_, index) => cell(index + 1)),
    idOf,
  );
const taken = (ledger: Ledger, who: string, count: number): readonly string[] =>
  ledger.take(who, count).map(idOf);

suite("cells", () => {
  test("go to one task each, and all are done when each has come to something", () => {
    const ledger = ledgerOf(4);
    assert.deepEqual(
      [taken(ledger, "a", 2), taken(ledger, "b", 2)],
      [
        ["c1", "c2"],
        ["c3", "c4"],
      ],
    );
    for (const [who, map] of [
      ["a", 2],
      ["b", 3],
      ["a", 1],
    ] as const)
      assert.equal(ledger.deliver(who, row(map)), "first");
    assert.equal(ledger.isDone, false);
    assert.deepEqual(ledger.take("c", 0), []);
    ledger.deliver("b", row(4));
    assert.equal(ledger.isDone, true, "though nobody has asked for more");
  });

  test("of a task that is gone are given out again, those that it has done are not", () => {
    const ledger = ledgerOf(4);
    taken(ledger, "a", 3);
    ledger.deliver("a", row(2));
    assert.equal(ledger.release("a"), 2);
    assert.deepEqual(taken(ledger, "b", 4), ["c1", "c3", "c4"]);
    for (const map of [1, 3, 4]) assert.equal(ledger.deliver("b", row(map)), "first");
    assert.equal(ledger.isDone, true);
  });

  test("that nobody could carry out are given up, unless another is at it", () => {
    const ledger = ledgerOf(2);
    taken(ledger, "a", 2);
    assert.equal(ledger.giveUp("a", "c1")?.place.kind, "drawn");
    assert.deepEqual(taken(ledger, "b", 1), ["c2"], "a second copy");
    assert.equal(ledger.giveUp("a", "c2"), null);
    assert.equal(ledger.deliver("b", row(2)), "first");
    assert.equal(ledger.isDone, true);
  });
});

suite("what was run twice", () => {
  test("is held against each other: who is slow, and who was at it meanwhile", () => {
    const ledger = ledgerOf(2);
    taken(ledger, "slow", 2);
    assert.deepEqual(taken(ledger, "quick", 5), ["c1", "c2"], "nothing else is left");
    assert.deepEqual(taken(ledger, "third", 5), [], "two copies are enough");
    assert.equal(ledger.deliver("quick", row(1)), "first");
    assert.equal(ledger.deliver("slow", row(1)), "same", "how long it took is no part of it");
    ledger.deliver("quick", row(2));
    assert.equal(ledger.isDone, true);
    const second = ledger.deliver("slow", row(2, 101));
    assert.equal(typeof second === "object" && second.before.outage_ms, 100);
  });

  test("and comes from one whom everybody took for gone, counts as well", () => {
    const ledger = ledgerOf(1);
    taken(ledger, "a", 1);
    ledger.release("a");
    assert.equal(ledger.deliver("a", row(1)), "first");
    assert.deepEqual([ledger.take("b", 1), ledger.isDone], [[], true]);
  });

  test("is not what is told twice by one, nor what nobody asked for", () => {
    const ledger = ledgerOf(1);
    taken(ledger, "a", 1);
    assert.equal(ledger.deliver("b", row(7)), "unasked");
    assert.equal(ledger.deliver("a", row(1)), "first");
    assert.equal(ledger.deliver("a", row(1)), "unasked");
  });
});
