// lane: works, 1 s
// What every znode's total says is what a walk through the tree finds, whatever was done and taken back.
import { utf8Bytes } from "../core/utf8.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";

import type { MultiOperation } from "../wire/client/multi.ts";
import { erase, make, put, restored, Stage } from "../testing/tree/stage.ts";
import type { Nodes } from "./nodes.ts";
import { CONFIG } from "./path.ts";
import { Tree } from "./tree.ts";

/** As path, znodes and bytes of each total. */
const told = (nodes: Nodes, total: (row: number) => { znodes: number; bytes: number }): readonly string[] =>
  [...nodes.subtree(nodes.find("/"))].map((row) => {
    const { znodes, bytes } = total(row);
    return `${nodes.path(row)} ${znodes} ${bytes}`;
  });

function walked(nodes: Nodes, row: number): { znodes: number; bytes: number } {
  const rows = [...nodes.subtree(row)];
  const bytes = rows.map((each) => (nodes.path(each) === CONFIG ? 0 : (nodes.data(each)?.length ?? 0)));
  return { znodes: rows.length, bytes: bytes.reduce((all, one) => all + one) };
}

function areRight({ tree }: Stage): void {
  const { nodes } = tree.state;
  assert.deepEqual(
    told(nodes, (row) => nodes.total(row)),
    told(nodes, (row) => walked(nodes, row)),
  );
}

const path = fc
  .array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 2 })
  .map((names) => `/${names.join("/")}`);
const text = fc.string({ maxLength: 9 });
const change: fc.Arbitrary<MultiOperation> = fc.oneof(
  fc.tuple(path, text).map(([at, data]) => make(at, { data: utf8Bytes(data) })),
  fc.tuple(path, text).map(([at, data]) => put(at, data)),
  path.map((at) => erase(at)),
);
const changes = fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { minLength: 20, maxLength: 60 });

test("after changes of one znode and of many at once, most of which are taken back", () => {
  fc.assert(
    fc.property(changes, (all) => {
      const stage = new Stage(new Tree("who the servers are"));
      const session = stage.open();
      for (const [only, ...more] of all) {
        assert.ok(only !== undefined);
        if (more.length === 0) stage.write(only, session);
        else stage.write({ kind: "multi", operations: [only, ...more] }, session);
        areRight(stage);
      }
      areRight(restored(stage));
    }),
  );
});

test("when all that was below a znode goes with its session", () => {
  const stage = new Stage();
  const [session, other] = [stage.open(), stage.open()];
  stage.write(make("/a"), other);
  for (const name of ["1", "2", "3"])
    stage.write(make(`/a/${name}`, { flags: 1, data: utf8Bytes(name) }), session);
  const { nodes } = stage.tree.state;
  assert.deepEqual(nodes.total(nodes.find("/a")), { znodes: 4, bytes: 3 });
  stage.write({ kind: "closeSession" }, session);
  assert.deepEqual(nodes.total(nodes.find("/a")), { znodes: 1, bytes: 0 });
  areRight(stage);
});
