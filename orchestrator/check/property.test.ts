import assert from "node:assert/strict";
import test from "node:test";
import { add, create, list } from "../testing/example.ts";
import { judge } from "./property.ts";

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
