import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { Agenda } from "./agenda.ts";

test("what goes in in any order comes out in the order of time", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.double({ min: 0, max: 1e6, noNaN: true })), (times) => {
      const agenda = new Agenda(times.length);
      for (const [thing, due] of times.entries()) agenda.add(due, thing);
      const out = times.map(() => {
        const due = agenda.first;
        const thing = agenda.take();
        assert.equal(times[thing], due);
        return due;
      });
      assert.deepEqual(
        out,
        times.toSorted((a, b) => a - b),
      );
      assert.equal(agenda.first, Number.POSITIVE_INFINITY);
    }),
  );
});

test("taking and adding by turns keeps the order too", () => {
  const agenda = new Agenda(100);
  for (let due = 50; due > 0; due--) agenda.add(due, due);
  for (let due = 1; due <= 50; due++) {
    assert.equal(agenda.take(), due);
    agenda.add(1000 - due, due);
  }
  assert.equal(agenda.size, 50);
  assert.equal(agenda.first, 950);
});
