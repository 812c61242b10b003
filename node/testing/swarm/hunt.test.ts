// lane: works, 1 s
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kill, renewed } from "./hunt.ts";

const kill = (mutant: Kill["mutant"], by: string): Kill => ({ mutant, seed: 1, by });
const rows = (table: string): readonly (readonly (string | undefined)[])[] =>
  table
    .split("\n")
    .slice(2)
    .map((row) => [row.split(" ")[1], row.split(" | ").at(-1)]);

test("a table is renewed row by row: what was not hunted stays as it was", () => {
  const old = renewed("", [kill("reuse-epoch", "as before"), kill("no-pull", "as before")]);
  assert.deepEqual(rows(renewed(old, [kill("reuse-epoch", "now"), kill("forget-epoch", "now")])), [
    ["reuse-epoch", "now |"],
    ["no-pull", "as before |"],
    ["forget-epoch", "now |"],
  ]);
});
