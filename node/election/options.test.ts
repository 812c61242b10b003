import assert from "node:assert/strict";
import { test } from "node:test";
import { ensemble } from "../core/identity.ts";
import { milliseconds } from "../core/time.ts";
import { contradictions, HARD, SERVER } from "./assumptions.ts";
import { choose, type ElectionName, elections, entryOf, valuesOf } from "./catalog.ts";
import { options } from "./option-catalog.ts";
import { flawOfOrder, parseOrder, printOption } from "./options.ts";

const servers = ensemble([1, 2, 3]);

test("elections that share an option's name mean the same kind of thing by it", () => {
  for (const { name, option, elections: having } of options) {
    for (const election of having) {
      const own = entryOf(election).options[name];
      assert.equal(own?.kind, option.kind, `${name} of ${election}`);
    }
  }
});

test("what is not said has the election's own default, and what is said holds", () => {
  assert.deepEqual(valuesOf({ name: "pole" }), {
    electionTimeout: milliseconds(200),
    knownDown: true,
    succession: false,
  });
  assert.deepEqual(valuesOf({ name: "pole", options: { knownDown: false } }), {
    electionTimeout: milliseconds(200),
    knownDown: false,
    succession: false,
  });
  for (const name of Object.keys(elections) as ElectionName[]) {
    assert.deepEqual(valuesOf(choose(name, () => null)), valuesOf({ name }));
  }
});

test("an option that an election does not have is a mistake of the program", () => {
  const choice = { name: "pole", options: { ring: "ids" } } as never;
  assert.throws(() => valuesOf(choice), /the election pole has no option ring/);
});

test("an order is written as ids or as a list, with or without the p of a server", () => {
  assert.equal(parseOrder("ids"), "ids");
  assert.deepEqual(parseOrder("3, p1,2"), [3, 1, 2]);
  for (const wrong of ["", "1,,2", "one", "0,1", "256"]) assert.equal(parseOrder(wrong), null, wrong);
  const order = { kind: "order", default: "ids", sentence: "" } as const;
  assert.equal(printOption(order, parseOrder("3,1,2") ?? "ids"), "3,1,2");
});

test("an order has a place for every server, and for each one place", () => {
  const flaw = (text: string) => flawOfOrder(parseOrder(text) ?? "ids", servers);
  assert.equal(flaw("ids"), null);
  assert.equal(flaw("3,1,2"), null);
  assert.equal(flaw("3"), "it has no place for p1, p2");
  assert.equal(flaw("3,1,2,4"), "there is no server p4");
  assert.equal(flaw("3,1,2,1"), "p1 is in it twice");
});

test("what an election assumes and does not find is said, a sentence each", () => {
  const idealist = {
    medium: "group",
    failures: "none",
    messages: "reliable",
    timing: "rounds",
  } as const;
  assert.deepEqual(contradictions("ideal", idealist, HARD), [
    `the election ideal speaks over group, and here it has only ${SERVER.media.join(", ")}`,
    "the election ideal assumes that nobody fails, and here crashed servers come back",
    "the election ideal assumes that every message arrives, and here some are lost",
    "the election ideal assumes rounds in which all step together, and here nobody waits for them",
  ]);
  const onceDead = { ...idealist, medium: "ring", failures: "crash", timing: "asynchronous" } as const;
  assert.deepEqual(contradictions("once", onceDead, { ...SERVER, failures: "crash" }), []);
  assert.deepEqual(contradictions("round", { ...onceDead, medium: "ring" }, { ...SERVER, servers: 2 }), []);
  assert.deepEqual(contradictions("round", { ...onceDead, medium: "ring" }, { ...SERVER, servers: 1 }), [
    "the election round assumes a ring, and here one server is alone: a ring has two or more",
  ]);
  assert.deepEqual(contradictions("once", onceDead, { ...SERVER, failures: "crash-recovery" }), [
    "the election once assumes that who has crashed stays away, and here crashed servers come back",
  ]);
});
