// lane: works, 1 s
// What is asked for is checked before anything starts, and refused in a sentence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lectures } from "#node/theory/catalog.ts";
import { caseOf, type CaseFlags, isAnyOrder, lateOf } from "./case.ts";
import { sizesOf } from "./sizes.ts";

test("a number is all up to it in steps, a list is what it says", () => {
  assert.deepEqual(sizesOf("5", "lcr", 100), [2, 3, 4, 5]);
  assert.deepEqual(sizesOf("64", "lcr", 100), [2, 3, 4, 5, 6, 7, 8, 10, 20, 50, 64]);
  assert.deepEqual(sizesOf("100, 5,5", "lcr", 100), [5, 100]);
  assert.deepEqual(sizesOf("2", "lcr", 100), [2]);
  assert.deepEqual(sizesOf("1000", "lcr", 1000).slice(-4), [100, 200, 500, 1000]);
});

const refused = (work: () => unknown, sentence: RegExp): void =>
  assert.throws(work, (error: Error & { exitCode?: number }) => {
    assert.match(error.message, sentence);
    return error.exitCode === 64;
  });

test("sizes that no ring has, or that are too many, are refused", () => {
  refused(() => sizesOf("1", "lcr", 100), /^--n: 1 is too few/);
  refused(() => sizesOf("5,0", "lcr", 100), /^--n: 0 is too few/);
  refused(() => sizesOf("-4", "lcr", 100), /^--n: "-4" is no number/);
  refused(() => sizesOf("", "lcr", 100), /^--n: "" is no number/);
  refused(() => sizesOf("101", "lcr", 100), /^--n: lcr is tried with 100 at most, not with 101$/);
});

const lcr = (flags: CaseFlags) => caseOf("lcr", lectures.lcr, flags);

test("one's own ring: all begin, or who is named", () => {
  assert.deepEqual(lcr({ ring: "9,p4,7" }), { ids: [9, 4, 7], initiators: [0, 1, 2], seed: 0 });
  assert.deepEqual(lcr({ ring: "9,4,7", initiators: "7,9" }).initiators, [2, 0]);
  assert.deepEqual(lcr({ initiators: "19" }).ids, lectures.lcr.example.ids);
});

test("what breaks an assumption of the algorithm is refused, and which", () => {
  refused(() => lcr({ ring: "5" }), /^--ring: 5 is alone; a ring has two members or more$/);
  refused(() => lcr({ ring: "5,6,5" }), /^--ring: 5 is in it twice, and lcr assumes that ids differ$/);
  refused(() => lcr({ ring: "5,x" }), /^--ring: "x" is no id/);
  refused(() => lcr({ ring: "5,6", initiators: "7" }), /^--initiators: 7 is not among 5,6$/);
  refused(() => lcr({ dead: "19" }), /^--dead: lcr assumes a ring in which nobody fails$/);
  refused(() => lateOf("lcr", lectures.lcr, "2"), /^--late: lcr waits for nothing/);
  refused(
    () => lateOf("time-slice", lectures["time-slice"], "0"),
    /^--late: "0" is no number of rounds or delays/,
  );
  const rounds = lectures["time-slice"];
  refused(
    () => isAnyOrder("time-slice", rounds, "any"),
    /^--order: time-slice assumes rounds in which all step/,
  );
  refused(
    () => isAnyOrder("bully", lectures.bully, "any"),
    /^--order: bully assumes that a message takes a bounded/,
  );
  refused(() => isAnyOrder("lcr", lectures.lcr, "all"), /^--order: there is no "all"/);
  const slow = lectures["variable-speeds"];
  refused(
    () => caseOf("variable-speeds", slow, { ring: "3,40" }),
    /^--ring: 40 is too great for variable-speeds/,
  );
  refused(
    () => caseOf("variable-speeds", slow, { initiators: "3" }),
    /^--initiators: in rounds all begin together$/,
  );
  const bully = (flags: CaseFlags) => caseOf("bully", lectures.bully, flags);
  refused(() => bully({ ring: "3,1,2" }), /^--ring: bully has no ring/);
  refused(() => bully({ dead: "9" }), /^--dead: 9 is not among 1,2,3,4,5$/);
  refused(() => bully({ dead: "5,1", initiators: "1" }), /^--initiators: 1 is dead and begins nothing$/);
  refused(() => bully({ ring: "1,2", dead: "1,2" }), /^--dead: somebody must live/);
  assert.deepEqual(bully({ ring: "1,2,3,4", dead: "4,2" }).initiators, [0, 2], "all that live");
});
