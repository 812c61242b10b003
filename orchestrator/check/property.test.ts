import assert from "node:assert/strict";
import test, { suite } from "node:test";
import {
  add,
  audit,
  create,
  digest,
  disconnected,
  draw,
  end,
  hold,
  list,
  notified,
  open,
  read,
  remove,
  transfer,
  write,
} from "./example.ts";
import type { History } from "./history.ts";
import { judge, PROPERTIES, type Property } from "./property.ts";

/** For every property, histories that have it and histories that lack it, with the words that say so. */
interface Examples {
  readonly good: Readonly<Record<string, History>>;
  readonly bad: Readonly<Record<string, readonly [History, RegExp]>>;
}

const unsynced = { synced: false };

const EXAMPLES: Record<Property, Examples> = {
  durable: {
    good: {
      "what was acknowledged is listed": [add("a"), add("b"), list("ab", { at: [5, 6] })],
      "a list that ran beside the addition may lack it": [add("a", { at: [3, 9] }), list("", { at: [5, 6] })],
      "a list that began beside it may lack it": [add("a", { at: [3, 6] }), list("", { at: [5, 9] })],
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
  },

  linearizable: {
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
      "an unknown write was": [
        create("a"),
        write("b", null, { unknown: true }),
        read("b", 1, { at: [4, 5] }),
      ],
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
  },

  sequential: {
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
      "perhaps gone": [create("a", { zxid: 1 }), remove({ unknown: true }), read(null, 0)],
      "not there yet": [read(null, 0, { session: "s2", zxid: 0 }), create("a", { zxid: 1 })],
    },
    bad: {
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
  },

  unforked: {
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
      "a missing link": [
        [create("a"), write("c", 2, { expected: 1 })],
        /1 versions up to 2 without a writer/,
      ],
      "a version it did not expect": [
        [create("a"), write("b", 1), write("c", 2, { expected: 0 })],
        /not upon the version/,
      ],
      "a value at another's version": [
        [create("a"), write("b", 1), read("a", 1)],
        /read "a" at version 1, not its/,
      ],
    },
  },

  numbered: {
    good: {
      "one after the other": [draw(0, { zxid: 1 }), draw(1, { at: [2, 3], zxid: 2 })],
      "at once, in either order": [
        draw(1, { at: [0, 9], zxid: 2 }),
        draw(0, { at: [1, 8], session: "s2", zxid: 1 }),
      ],
      "with a gap where nobody knows": [
        draw(0),
        draw(null, { unknown: true, at: [2, 3] }),
        draw(2, { at: [4, 5] }),
      ],
      "each parent has its own": [draw(0), draw(0, { key: "y", at: [2, 3] })],
    },
    bad: {
      "given twice": [[draw(1), draw(1, { at: [0, 1] })], /given twice/],
      "fell back": [[draw(5, { at: [0, 1] }), draw(4, { at: [2, 3] })], /fell back/],
      "fell back behind the greater of two": [
        [draw(7, { at: [0, 2] }), draw(5, { at: [0, 3] }), draw(6, { at: [4, 5] })],
        /fell back/,
      ],
      "against the history": [
        [draw(1, { at: [0, 9], zxid: 1 }), draw(0, { at: [0, 9], zxid: 2 })],
        /out of order/,
      ],
    },
  },

  conserved: {
    good: {
      "moved about": [open("a", 10), open("b", 10), transfer(3), audit([7, 13])],
      "moved or not": [open("a", 10), open("b", 10), transfer(3, { unknown: true }), audit([10, 10])],
      "an audit that failed says nothing": [
        open("a", 10),
        transfer(3),
        audit([], { failure: "other" }),
        audit([10]),
      ],
    },
    bad: {
      "half a transfer": [[open("a", 10), open("b", 10), transfer(3), audit([7, 10])], /17 instead of 20/],
    },
  },

  exclusive: {
    good: {
      "one after the other": [hold("s1", 0, 5, 1), hold("s2", 5, 9, 2)],
      "the same session again": [hold("s1", 0, 5, 1), hold("s1", 6, 9, 2)],
    },
    bad: {
      "two at once": [[hold("s1", 0, 5, 1), hold("s2", 4, 9, 2)], /two holders/],
      "one within another": [[hold("s1", 0, 9, 1), hold("s2", 2, 3, 2), hold("s3", 5, 6, 3)], /s1.*s3/],
      "a token that would be turned away": [
        [hold("s1", 0, 5, 2), hold("s2", 6, 9, 1)],
        /a token not greater/,
      ],
    },
  },

  watched: {
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
  },

  ephemeral: {
    good: {
      "gone with its session": [end("s1", 5), read(null, 0, { at: [6, 7] })],
      "still there while it may be": [end("s1", 5), read("a", 0, { owner: "s1", at: [4, 7] })],
      "another's": [end("s1", 5), read("a", 0, { owner: "s2", at: [6, 7] })],
      "an old view": [end("s1", 5), read("a", 0, { ...unsynced, owner: "s1", at: [6, 7] })],
    },
    bad: {
      "there after its session": [
        [end("s1", 5), read("a", 0, { owner: "s1", at: [6, 7] })],
        /s1 was over at 5/,
      ],
    },
  },

  equal: {
    good: {
      "all alike": [digest(1, 9, "f00d"), digest(2, 9, "f00d"), digest(3, 9, "f00d")],
      "level in the end": [digest(1, 8, "cafe"), digest(2, 9, "f00d"), digest(1, 9, "f00d")],
    },
    bad: {
      "same place, other state": [[digest(1, 9, "f00d"), digest(2, 9, "beef")], /differ: p1 f00d at 0x9/],
      "they differed on the way": [
        [digest(1, 8, "cafe"), digest(2, 8, "beef"), digest(1, 9, "f00d"), digest(2, 9, "f00d")],
        /differ/,
      ],
      "one stayed behind": [[digest(1, 9, "f00d"), digest(2, 7, "beef")], /not level/],
      "a server alone proves nothing": [[digest(1, 9, "f00d")], /vacuous/],
    },
  },
};

for (const [name, { good, bad }] of Object.entries(EXAMPLES) as [Property, Examples][]) {
  suite(name, () => {
    for (const [title, history] of Object.entries(good)) {
      test(title, () => {
        const { judgement, operations, reasons } = PROPERTIES[name](history);
        assert.deepEqual([judgement, reasons], ["valid", []]);
        assert.ok(operations > 0);
      });
    }
    for (const [title, [history, reason]] of Object.entries(bad)) {
      test(`not so: ${title}`, () => {
        const { judgement, reasons } = PROPERTIES[name](history);
        assert.equal(judgement, "invalid");
        assert.match(reasons.join("\n"), reason);
      });
    }
    test("not so: nothing happened", () => {
      assert.deepEqual(PROPERTIES[name]([]).reasons, ["vacuous"]);
    });
  });
}

test("a run is as bad as its worst property, and every property is named with what it looked at", () => {
  const history = [create("a"), add("e"), list("", { at: [5, 6] })];
  const { judgement, findings } = judge(history, ["linearizable", "durable"]);
  assert.equal(judgement, "invalid");
  assert.deepEqual(
    findings.map(({ property, judgement: each, operations }) => [property, each, operations]),
    [
      ["writes and synced reads linearizable", "valid", 1],
      ["no acknowledged write lost", "invalid", 1],
    ],
  );
});
