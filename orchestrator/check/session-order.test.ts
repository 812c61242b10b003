import { create, read, remove, write } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

const unsynced = { synced: false };

tell("sequential", {
  good: {
    "a session behind the others": [
      create("a", { zxid: 1 }),
      write("b", 1, { zxid: 2, at: [2, 3] }),
      read("a", 0, { ...unsynced, session: "s2", mzxid: 1, zxid: 1, at: [9, 10] }),
    ],
    "two znodes, read as they were at one place": [
      create("a", { zxid: 1 }),
      create("a", { key: "y", zxid: 2 }),
      write("b", 1, { zxid: 3 }),
      read("b", 1, { session: "s2", mzxid: 3 }),
      read("a", 0, { session: "s2", key: "y", mzxid: 2 }),
    ],
    "gone, and seen gone": [
      create("a", { zxid: 1 }),
      remove({ zxid: 2 }),
      read(null, 0, { zxid: 2 }),
      create("b", { zxid: 3 }),
    ],
    "gone after another was there": [
      create("a", { zxid: 1, session: "s3" }),
      create("v", { key: "y", zxid: 3 }),
      remove({ zxid: 5, session: "s3" }),
      read(null, 0),
      read("v", 0, { key: "y", mzxid: 3 }),
    ],
    "read one place before it was overwritten": [
      create("a", { zxid: 1, session: "s3" }),
      write("b", 1, { zxid: 3, session: "s3" }),
      create("v", { key: "y", zxid: 2 }),
      read("a", 0, { mzxid: 1 }),
    ],
    "perhaps gone": [create("a", { zxid: 1 }), remove({ unknown: true }), read(null, 0)],
    "not there yet": [read(null, 0, { session: "s2", zxid: 0 }), create("a", { zxid: 1 })],
  },
  looked: {
    answers: [[create("a", { zxid: 1 }), read("a", 0, { mzxid: 1 }), write("b", 1, { unknown: true })], 2],
  },
  bad: {
    "its own write is not seen, and others were recorded in another order": [
      [
        create("a", { zxid: 1, session: "s3" }),
        write("c", 2, { zxid: 3, session: "s4" }),
        write("b", 1, { zxid: 2, session: "s5" }),
        create("v", { key: "y", zxid: 2 }),
        read("a", 0, { mzxid: 1 }),
      ],
      /older than place 0x2/,
    ],
    "read at the place where it was overwritten": [
      [
        create("a", { zxid: 1, session: "s3" }),
        write("b", 1, { zxid: 2, session: "s3" }),
        create("v", { key: "y", zxid: 2 }),
        read("a", 0, { mzxid: 1 }),
      ],
      /older than place 0x2/,
    ],
    "a removal that was refused explains nothing": [
      [create("a", { zxid: 1 }), remove({ failure: "version" }), read(null, 0)],
      /older than place/,
    ],
    "its own write is not seen": [
      [create("a", { zxid: 1 }), write("b", 1, { zxid: 2 }), read("a", 0, { ...unsynced, mzxid: 1 })],
      /older than place 0x2/,
    ],
    "a value goes back": [
      [
        create("a", { zxid: 1 }),
        write("b", 1, { zxid: 2 }),
        read("b", 1, { session: "s2", mzxid: 2 }),
        read("a", 0, { session: "s2", mzxid: 1 }),
      ],
      /older than place 0x2/,
    ],
    "another znode is older than what was seen of the first": [
      [
        create("a", { zxid: 1 }),
        write("b", 1, { zxid: 2 }),
        create("a", { key: "y", zxid: 3 }),
        read("a", 0, { session: "s2", key: "y", mzxid: 3 }),
        read("a", 0, { session: "s2", mzxid: 1 }),
      ],
      /older than place 0x3/,
    ],
    "its own create is not there": [[create("a", { zxid: 1 }), read(null, 0)], /older than place/],
    "a reply is from before an earlier one": [
      [create("a", { zxid: 5 }), read("a", 0, { mzxid: 5, zxid: 4 })],
      /a reply from before 0x5/,
    ],
  },
});
