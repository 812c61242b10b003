import { epoch, zxid } from "#node/core/zxid.ts";
import { create, read, remove, write } from "../testing/example.ts";
import { tell } from "../testing/example-table.ts";

tell("unforked", {
  looked: {
    "acknowledged writes, not creates, reads, refusals, or znodes that were removed": [
      [
        create("a"),
        write("b", 1),
        write("c", null, { unknown: true }),
        write("d", null, { failure: "version" }),
        read("b", 1),
        create("a", { key: "y" }),
        write("b", 1, { key: "y" }),
        remove({ key: "y", failure: "version" }),
        create("a", { key: "z" }),
        write("b", 1, { key: "z" }),
        remove({ key: "z", unknown: true }),
      ],
      2,
    ],
  },
  good: {
    "a removed znode begins anew": [
      create("a"),
      write("b", 1),
      remove(),
      create("c"),
      write("d", 1),
      create("v", { key: "y" }),
      write("w", 1, { key: "y" }),
    ],
    "only the stat was read": [
      create("a"),
      write("b", 1),
      { ...read("x", 1), sight: { value: null, version: 1, mzxid: zxid(epoch(0), 1), owner: null } },
    ],
    "a read of what nobody claims, that an unknown one may have written": [
      create("a"),
      write("b", 1),
      write("z", null, { unknown: true }),
      read("z", 2),
    ],
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
    "an unknown write stands for one link, not for two": [
      [create("a"), write("b", null, { unknown: true }), write("d", 3)],
      /^x: 2 versions up to 3 without a writer, 1 writes unknown/,
    ],
    "a read of what nobody wrote at all": [
      [create("a"), write("b", 1), write("z", null, { unknown: true }), read("y", 2)],
      /read "y" at version 2, not its/,
    ],
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
