import assert from "node:assert/strict";
import test from "node:test";
import { type Finding, finding, type Judgement, merge, verdict } from "./verdict.ts";

const found = (judgement: Judgement): Finding => ({ property: "p", judgement, operations: 1, reasons: [] });

test("a verdict is as bad as its worst finding", () => {
  const table: [Judgement[], Judgement][] = [
    [["valid", "valid"], "valid"],
    [["valid", "unknown"], "unknown"],
    [["unknown", "invalid", "valid"], "invalid"],
  ];
  for (const [judgements, worst] of table) {
    assert.equal(verdict(judgements.map(found)).judgement, worst);
    assert.equal(merge(judgements.map((judgement) => verdict([found(judgement)]))).judgement, worst);
  }
});

test("nothing checked is invalid, and so is a check of nothing", () => {
  assert.equal(verdict([]).judgement, "invalid");
  assert.equal(merge([]).judgement, "invalid");
  assert.deepEqual(finding("p", 0, []).reasons, ["vacuous"]);
});

test("of many reasons the first are quoted and the others counted", () => {
  const wrong = Array.from({ length: 25 }, (_, index) => `reason ${index}`);
  const { reasons } = finding("p", 25, wrong);
  assert.equal(reasons.length, 11);
  assert.equal(reasons.at(-1), "and 15 more");
  assert.deepEqual(finding("p", 25, wrong.slice(0, 10)).reasons, wrong.slice(0, 10));
  assert.deepEqual(finding("p", 25, wrong.slice(0, 11)).reasons, [...wrong.slice(0, 10), "and 1 more"]);
});
