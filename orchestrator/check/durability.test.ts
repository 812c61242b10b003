import { add, list } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

const unsynced = { synced: false };

tell("durable", {
  good: {
    "what was acknowledged is listed": [add("a"), add("b"), list("ab", { at: [5, 6] })],
    "a list that ran beside the addition may lack it": [add("a", { at: [3, 9] }), list("", { at: [5, 6] })],
    "a list that began beside it may lack it": [add("a", { at: [3, 6] }), list("", { at: [5, 9] })],
    "a list that began when the addition was acknowledged may lack it": [
      add("a", { at: [3, 5] }),
      list("", { at: [5, 6] }),
    ],
    "an addition that began when the list was answered may be in it": [
      list("a", { at: [5, 6] }),
      add("a", { at: [6, 7] }),
    ],
    "a list that failed shows nothing": [add("a"), list("", { at: [5, 6], failure: "other" }), list("a")],
    "an unknown addition may be there": [add("a", { unknown: true }), list("a", { at: [5, 6] })],
    "an unknown addition may be missing": [add("a", { unknown: true }), list("", { at: [5, 6] })],
    "an unknown addition may come late": [
      add("a", { unknown: true }),
      list("", { at: [5, 6] }),
      list("a", { at: [7, 8] }),
    ],
    "a list without a sync may be old": [
      add("a"),
      list("", { ...unsynced, at: [5, 6] }),
      list("a", { at: [7, 8] }),
    ],
    "sets have nothing to do with each other": [
      add("a", { key: "y" }),
      list("", { at: [5, 6] }),
      list("a", { key: "y", at: [5, 6] }),
    ],
  },
  bad: {
    "an acknowledged addition is missing": [[add("a"), list("", { at: [5, 6] })], /lost: a of x/],
    "what one list showed, a later one does not": [
      [add("a", { unknown: true }), list("a", { at: [5, 6] }), list("", { at: [7, 8] })],
      /lost: a of x/,
    ],
    "a later list does not make up for one in between": [
      [
        add("a", { unknown: true }),
        list("a", { at: [20, 21] }),
        list("a", { at: [5, 6] }),
        list("", { at: [10, 11] }),
      ],
      /lost: a of x, there at 6, not in the list of 10/,
    ],
    "one of two is missing": [[add("a"), add("b"), list("a", { at: [5, 6] })], /lost: b of x/],
    "in the other set it is there": [
      [add("a"), add("b", { key: "y" }), list("", { at: [5, 6] }), list("b", { key: "y", at: [5, 6] })],
      /lost: a of x/,
    ],
    "nobody looked": [[add("a"), list("", { ...unsynced, at: [5, 6] })], /vacuous/],
    "a refused addition is there": [
      [add("a", { failure: "other" }), list("a", { at: [5, 6] })],
      /refused, but/,
    ],
    "nobody added it": [[add("a"), list("az", { at: [5, 6] })], /z was never added/],
    "it is there before anyone asked for it": [
      [list("a", { at: [5, 6] }), add("a", { at: [7, 8] })],
      /seen before/,
    ],
    "it is there twice": [[add("a"), list("aa", { at: [5, 6] })], /listed twice/],
  },
});
