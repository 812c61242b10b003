import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { timeOfDay } from "../core/time.ts";
import { erase, make, put, Stage } from "../testing/tree/stage.ts";
import { Perishables, perishesAt } from "./perishables.ts";
import { Tree } from "./tree.ts";

suite("candidates", () => {
  test("are named when their time has come, soonest first, once, and with the time noted last", () => {
    const times = fc.array(fc.tuple(fc.nat(20), fc.nat(1000), fc.boolean()), { maxLength: 300 });
    fc.assert(
      fc.property(times, fc.nat(1000), (notes, now) => {
        const perishables = new Perishables();
        const expected = new Map<string, number>();
        for (const [number, due, forgotten] of notes) {
          const path = `/${number}`;
          perishables.note(path, due);
          expected.set(path, due);
          if (!forgotten) continue;
          perishables.forget(path);
          expected.delete(path);
        }
        const named = [...perishables.upTo(now)];
        const due = named.map((path) => expected.get(path) ?? assert.fail(`${path} was forgotten`));
        assert.deepEqual(
          due,
          [...expected.values()].filter((each) => each <= now).sort((a, b) => a - b),
        );
        assert.equal(new Set(named).size, named.length);
        assert.equal(perishables.size, expected.size - named.length);
      }),
    );
  });

  test("keep their time where what would have made it later was taken back", () => {
    const stage = new Stage();
    stage.options = { ...stage.options, extendedTypes: true };
    const session = stage.open();
    const ttl = make("/ttl", { kind: "createTtl", flags: 5, ttl: 1000 });
    stage.write(ttl, session);
    stage.time += 500;
    const operations = [put("/ttl", "new"), make("/ttl/x"), erase("/ttl/x"), ttl];
    stage.write({ kind: "multi", operations } as never, session);
    stage.time += 501;
    sameAsAll(stage.tree, stage.time);
  });

  test("of a tree are, whatever was done or taken back, the znodes that a look at all of them finds", () => {
    const name = fc.constantFrom("/box", "/ttl", "/plain");
    const kinds = {
      "/box": { kind: "createContainer", flags: 4 },
      "/ttl": { kind: "createTtl", flags: 5, ttl: 1000 },
      "/plain": {},
    } as const;
    const simple = fc.oneof(
      name.map((path) => make(path, kinds[path])),
      name.map((path) => make(`${path}/x`)),
      name.map((path) => erase(`${path}/x`)),
      name.map((path) => erase(path)),
      name.map((path) => put(path, "new")),
    );
    const write = fc.oneof(
      simple,
      fc.array(simple, { maxLength: 4 }).map((operations) => ({ kind: "multi", operations }) as never),
    );
    const act = fc.record({ write, pause: fc.nat(800), look: fc.boolean() });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const stage = new Stage();
        stage.options = { ...stage.options, extendedTypes: true };
        const session = stage.open();
        for (const { write: request, pause, look } of acts) {
          stage.write(request, session);
          stage.time += pause;
          if (look) sameAsAll(stage.tree, stage.time);
        }
        sameAsAll(stage.tree, stage.time + 2000);
        sameAsAll(restored(stage.tree), stage.time);
        sameAsAll(restored(stage.tree), stage.time + 2000);
      }),
      { numRuns: 1000 },
    );
  });
});

function sameAsAll(tree: Tree, time: number): void {
  const { nodes } = tree.state;
  const all = [...nodes.subtree(nodes.find("/"))].filter(
    (row) => (perishesAt(nodes, row) ?? Infinity) <= time,
  );
  assert.deepEqual(tree.perished(timeOfDay(time), 100).sort(), all.map((row) => nodes.path(row)).sort());
}

function restored(tree: Tree): Tree {
  const other = new Tree();
  const [snapshot, restoration] = [tree.snapshot(), other.restore(tree.applied)];
  for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) restoration.accept(chunk);
  assert.equal(restoration.finish(), null);
  return other;
}
