import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { isMet, Lines, printLine } from "./line.ts";

suite("what the bench tells", () => {
  const lines = new Lines();
  for (const [error, packets] of [
    [-12, 190],
    [700, 210],
    [9, 205],
  ] as const) {
    lines.note("an error", "us", { most: 15 }, error);
    lines.note("packets", "1000/s", { least: 200 }, packets);
  }
  const [error, packets] = lines.all();
  assert.ok(error !== undefined && packets !== undefined);

  test("an error is as bad to one side as to the other, and one evil minute of three says little", () => {
    assert.deepEqual(error.measured, { median: 12, least: 9, most: 700 });
    assert.ok(isMet(error));
  });

  test("everything is told in the order it was first measured in, with its extremes", () => {
    assert.match(printLine(packets), /^ {2}packets +>= 200 +205 1000\/s \(190 to 210\)$/);
  });

  test("what is missed by the median is marked", () => {
    lines.note("packets", "1000/s", { least: 200 }, 100);
    lines.note("packets", "1000/s", { least: 200 }, 100);
    const missed = lines.all()[1];
    assert.ok(missed !== undefined && !isMet(missed));
    assert.match(printLine(missed), /^! /);
  });
});
