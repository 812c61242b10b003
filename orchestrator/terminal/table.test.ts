import assert from "node:assert/strict";
import test from "node:test";
import { aligned, markdown } from "./table.ts";

test("columns stand under each other, and numbers lean right where they are said to", () => {
  assert.deepEqual(
    aligned([
      ["a", "long"],
      ["longer", "b"],
    ]),
    ["a       long", "longer  b"],
  );
  assert.deepEqual(
    aligned(
      [
        ["a", "b"],
        ["longer", "12.5"],
      ],
      1,
    ),
    ["a          b", "longer  12.5"],
  );
  assert.deepEqual(aligned([]), []);
});

test("a bar within a cell of Markdown is no end of it", () => {
  assert.equal(
    markdown(["what", "times"], [["a|b", "2"]], 1),
    "| what | times |\n| --- | ---: |\n| a\\|b | 2 |",
  );
});
