import assert from "node:assert/strict";
import { test } from "node:test";
import { reflow } from "./reflow.ts";

const lines = (...text: string[]) => text.join("\n");

test("prose that is too wide flows into the lines below it", () => {
  assert.equal(
    reflow(lines("// one two three four", "// five", "", "code();"), 16),
    lines("// one two three", "// four five", "", "code();"),
  );
});

test("a doc comment on one line opens into a block", () => {
  assert.equal(
    reflow("  /** one two three four */", 18),
    lines("  /**", "   * one two three", "   * four", "   */"),
  );
});

test("what fits, lists, tables and code stay as they are", () => {
  const text = lines(
    "// short",
    "// lines",
    "// - an item that is too wide",
    "// name    what it is, aligned",
    "//   indented, too wide a line",
    'const a = "a string that is wide";',
  );
  assert.equal(reflow(text, 20), text);
});

test("wrapping twice changes nothing more", () => {
  const once = reflow(lines("// one two three four five six", "// seven"), 12);
  assert.equal(reflow(once, 12), once);
});
