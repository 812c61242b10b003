import { create, read, write } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("unforked", {
  good: {
    "each upon the one before": [
      create("a"),
      write("b", 1, { expected: 0 }),
      write("c", 2, { expected: 1 }),
      read("b", 1),
    ],
    "a link that nobody knows of": [
      create("a"),
      write("b", null, { unknown: true, expected: 0 }),
      write("c", 2, { expected: 1 }),
      read("b", 1),
    ],
  },
  bad: {
    "two upon the same": [
      [create("a"), write("b", 1, { expected: 0 }), write("c", 1, { expected: 0 })],
      /a fork/,
    ],
    "a missing link": [[create("a"), write("c", 2, { expected: 1 })], /1 versions up to 2 without a writer/],
    "a version it did not expect": [
      [create("a"), write("b", 1), write("c", 2, { expected: 0 })],
      /not upon the version/,
    ],
    "a value at another's version": [
      [create("a"), write("b", 1), read("a", 1)],
      /read "a" at version 1, not its/,
    ],
  },
});
