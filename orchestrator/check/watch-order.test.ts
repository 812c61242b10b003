import { create, disconnected, notified, read, write } from "./example.ts";
import { tell } from "./example-table.ts";

tell("watched", {
  good: {
    "told before it is seen": [
      create("a", { zxid: 1 }),
      read("a", 0, { session: "s2", mzxid: 1, zxid: 1, watch: true }),
      write("b", 1, { zxid: 2 }),
      notified("x", "s2"),
      read("b", 1, { session: "s2", mzxid: 2, zxid: 2 }),
    ],
    "set again, told again": [
      create("a", { zxid: 1 }),
      read("a", 0, { mzxid: 1, zxid: 1, watch: true }),
      notified("x"),
      write("b", 1, { zxid: 2 }),
      read("b", 1, { mzxid: 2, zxid: 2, watch: true }),
      notified("x"),
      write("c", 2, { zxid: 3 }),
    ],
    "nothing changed": [create("a", { zxid: 1 }), read("a", 0, { mzxid: 1, zxid: 9, watch: true })],
    "missing, then created": [
      read(null, 0, { session: "s2", zxid: 4, watch: true }),
      create("a", { zxid: 5 }),
      notified("x", "s2"),
      read("a", 0, { session: "s2", mzxid: 5, zxid: 5 }),
    ],
    "watches end with the connection that had them": [
      create("a", { zxid: 1 }),
      read("a", 0, { session: "s2", mzxid: 1, zxid: 1, watch: true }),
      disconnected("s2"),
      write("b", 1, { zxid: 2 }),
      read("b", 1, { session: "s2", mzxid: 2, zxid: 2 }),
    ],
    "an unknown change makes the order unknown": [
      create("a", { zxid: 1 }),
      create("a", { key: "y", zxid: 2 }),
      read("a", 0, { session: "s2", mzxid: 1, watch: true }),
      read("a", 0, { session: "s2", key: "y", mzxid: 2, watch: true }),
      write("b", null, { unknown: true }),
      write("c", 2, { zxid: 9 }),
      write("b", 1, { key: "y", zxid: 5 }),
      notified("x", "s2"),
      notified("y", "s2"),
    ],
  },
  bad: {
    "the change is seen first": [
      [
        create("a", { zxid: 1 }),
        read("a", 0, { session: "s2", mzxid: 1, watch: true }),
        read("b", 1, { session: "s2", mzxid: 2 }),
        notified("x", "s2"),
        write("b", 1, { zxid: 2 }),
      ],
      /the watch on x, set at 0x1, had not fired: s2 read/,
    ],
    "another znode shows that the change is past": [
      [
        create("a", { zxid: 1 }),
        read("a", 0, { session: "s2", mzxid: 1, watch: true }),
        write("b", 1, { zxid: 2 }),
        create("a", { key: "y", zxid: 3, session: "s2" }),
      ],
      /had not fired: s2 create/,
    ],
    "told twice": [
      [
        create("a", { zxid: 1 }),
        read("a", 0, { mzxid: 1, watch: true }),
        notified("x"),
        notified("x"),
        write("b", 1, { zxid: 2 }),
      ],
      /did not watch any more/,
    ],
    "told of what was not watched": [
      [read(null, 0, { key: "y", zxid: 1, watch: true }), notified("x")],
      /told of x, which/,
    ],
    "told out of order": [
      [
        create("a", { zxid: 1 }),
        create("a", { key: "y", zxid: 2 }),
        read("a", 0, { session: "s2", mzxid: 1, watch: true }),
        read("a", 0, { session: "s2", key: "y", mzxid: 2, watch: true }),
        write("b", 1, { zxid: 3 }),
        write("b", 1, { key: "y", zxid: 4 }),
        notified("y", "s2"),
        notified("x", "s2"),
      ],
      /told of x \(0x3\) after a later change/,
    ],
  },
});
