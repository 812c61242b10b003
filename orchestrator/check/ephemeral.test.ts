import { end, read } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

const unsynced = { synced: false };

tell("ephemeral", {
  good: {
    "gone with its session": [end("s1", 5), read(null, 0, { at: [6, 7] })],
    "still there while it may be": [end("s1", 5), read("a", 0, { owner: "s1", at: [4, 7] })],
    "another's": [end("s1", 5), read("a", 0, { owner: "s2", at: [6, 7] })],
    "asked for at the very moment": [end("s1", 5), read("a", 0, { owner: "s1", at: [5, 7] })],
    "after the first of two ends": [end("s1", 5), end("s2", 50), read(null, 0, { at: [6, 7] })],
    "a read that failed": [
      end("s1", 5),
      read("a", 0, { owner: "s1", at: [6, 7], failure: "other" }),
      read(null, 0, { at: [8, 9] }),
    ],
    "an old view": [
      end("s1", 5),
      read("a", 0, { ...unsynced, owner: "s1", at: [6, 7] }),
      read(null, 0, { at: [8, 9] }),
    ],
  },
  bad: {
    "there after its session": [
      [end("s1", 5), read("a", 0, { owner: "s1", at: [6, 7] })],
      /s1 was over at 5/,
    ],
    "the second of two": [
      [end("s1", 5), end("s2", 7), read("a", 0, { owner: "s2", at: [8, 9] })],
      /s2 was over at 7/,
    ],
    "no session ended": [[read("a", 0, { owner: "s2", at: [3, 4] })], /vacuous/],
    "no session had ended when it was read": [
      [read(null, 0, { at: [1, 2] }), read("a", 0, { owner: "s2", at: [3, 4] }), end("s1", 5)],
      /vacuous/,
    ],
  },
});
