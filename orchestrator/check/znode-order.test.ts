import assert from "node:assert/strict";
import test from "node:test";
import { create, read, remove, write } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";
import { linearizableZnodes } from "./znode-order.ts";

test("what is not decided within its budget is unknown, and what is wrong beside it stays wrong", () => {
  const many = Array.from({ length: 12 }, (_, index) => write(`v${index}`, null, { at: [2, 99] }));
  const hard = [create("a"), ...many, read("never", 12, { at: [100, 101] })];
  const { judgement, reasons } = linearizableZnodes(hard, 50);
  assert.deepEqual([judgement, reasons], ["unknown", ["x: not decided within 50 steps"]]);
  const wrong = linearizableZnodes([...hard, remove({ key: "y" })], 50);
  assert.equal(wrong.judgement, "invalid");
  assert.match(wrong.reasons.join(), /^y: no order explains/);
});

const unsynced = { synced: false };

tell("linearizable", {
  good: {
    "one after the other": [
      create("a"),
      write("b", 1, { at: [2, 3] }),
      read("b", 1, { at: [4, 5] }),
      remove({ at: [6, 7] }),
      read(null, 0, { at: [8, 9] }),
      create("c", { at: [10, 11] }),
      read("c", 0, { at: [12, 13] }),
    ],
    "two at once, in either order": [
      create("a"),
      write("b", 2, { at: [2, 9] }),
      write("c", 1, { at: [3, 8] }),
      read("b", 2, { at: [10, 11] }),
    ],
    "an unknown write was": [create("a"), write("b", null, { unknown: true }), read("b", 1, { at: [4, 5] })],
    "an unknown write was not": [
      create("a"),
      write("b", null, { unknown: true }),
      read("a", 0, { at: [4, 5] }),
    ],
    "an unknown write comes after its client has given it up": [
      create("a"),
      write("b", null, { at: [2, 3], unknown: true }),
      read("a", 0, { at: [40, 50] }),
      read("b", 1, { at: [60, 70] }),
    ],
    "refusals say what they met": [
      write("a", null, { failure: "absent" }),
      create("a", { at: [2, 3] }),
      create("b", { at: [4, 5], failure: "exists" }),
      write("b", null, { at: [6, 7], expected: 4, failure: "version" }),
    ],
    "a read without a sync may be old": [
      create("a"),
      write("b", 1, { at: [2, 3] }),
      read("a", 0, { ...unsynced, at: [4, 5] }),
    ],
  },
  looked: {
    "what says something": [
      [
        create("a"),
        read("a", 0, { at: [2, 3] }),
        read("a", 0, { ...unsynced, at: [2, 3] }),
        read("a", 0, { at: [2, 3], unknown: true }),
        write("b", 1, { at: [4, 5], failure: "other" }),
        write("b", 1, { at: [6, 7], expected: 9, failure: "version" }),
      ],
      3,
    ],
  },
  bad: {
    "what is not there is written": [[write("a", 0)], /no order/],
    "what is not there is removed": [[remove()], /no order/],
    "a removal goes through although the version was wrong": [
      [create("a"), remove({ at: [2, 3], expected: 3 })],
      /no order/,
    ],
    "a removal is refused although the version was right": [
      [create("a"), remove({ at: [2, 3], expected: 0, failure: "version" })],
      /no order/,
    ],
    "a removal is refused because of the version of nothing": [
      [remove({ expected: 3, failure: "version" })],
      /no order/,
    ],
    "a create is refused although nothing is there": [[create("a", { failure: "exists" })], /no order/],
    "a write is refused for want of what is there": [
      [create("a"), write("b", null, { at: [2, 3], failure: "absent" })],
      /no order/,
    ],
    "one znode of two": [
      [create("a"), create("a", { key: "y" }), read("b", 0, { key: "y", at: [2, 3] })],
      /^y: no order explains/,
    ],
    "a read goes back": [
      [create("a"), write("b", 1, { at: [2, 3] }), read("a", 0, { at: [4, 5] })],
      /no order explains s1 read .*"a"/,
    ],
    "a read misses what is there": [[create("a"), read(null, 0, { at: [2, 3] })], /no order/],
    "two readers disagree about the order": [
      [
        create("a"),
        write("b", null, { at: [2, 20] }),
        read("b", 1, { at: [3, 4] }),
        read("a", 0, { at: [5, 6] }),
      ],
      /no order/,
    ],
    "a write is acknowledged and gone": [
      [create("a"), write("b", 1, { at: [2, 3] }), write("c", 1, { at: [4, 5] })],
      /no order/,
    ],
    "an unknown write happens twice": [
      [
        create("a"),
        write("b", null, { at: [2, 3], unknown: true }),
        read("b", 1, { at: [4, 5] }),
        write("c", 2, { at: [6, 7] }),
        read("b", 3, { at: [8, 9] }),
      ],
      /no order/,
    ],
    "a compare-and-set is refused although the version was right": [
      [create("a"), write("b", null, { at: [2, 3], expected: 0, failure: "version" })],
      /no order/,
    ],
    "a compare-and-set goes through although the version was wrong": [
      [create("a"), write("b", 1, { at: [2, 3], expected: 7 })],
      /no order/,
    ],
    "a second create goes through": [[create("a"), create("b", { at: [2, 3] })], /no order/],
  },
});
