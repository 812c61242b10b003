import { create, read, remove, write } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

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
  bad: {
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
