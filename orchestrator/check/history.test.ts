import assert from "node:assert/strict";
import test from "node:test";
import { add, create, end, list, read, write } from "../testing/example.ts";
import { describe, syncedFrom } from "./history.ts";

test("a sync is believed from a moment on, and what is no read stays as it is", () => {
  const history = [
    read("a", 0, { at: [4, 9] }),
    read("a", 0, { at: [5, 9] }),
    list("a", { at: [3, 9] }),
    read("a", 0, { at: [6, 9], synced: false }),
    write("b", 1, { at: [1, 2] }),
    end("s1", 1),
  ];
  const from = syncedFrom(history, 5);
  assert.deepEqual(
    from.map((entry) => ("synced" in entry ? entry.synced : entry.kind)),
    [false, true, false, false, "write", "end"],
  );
  assert.deepEqual(from[4], history[4]);
});

test("a reason quotes an operation with all that is known of it", () => {
  assert.equal(
    describe(create("a", { at: [3, 7], zxid: 255 })),
    's1 create key="x" value="a" [3, 7] ok at 0xff',
  );
  assert.equal(
    describe(write("b", 1, { failure: "version", expected: 4, session: "s2" })),
    's2 write key="x" value="b" version=1 expected=4 [0, 1] failed (version)',
  );
  assert.equal(describe(add("e", { unknown: true })), 's1 add key="x" element="e" [0, 1] unknown');
});
