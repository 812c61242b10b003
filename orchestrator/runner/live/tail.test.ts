import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Tail } from "./tail.ts";

test("a file that grows is read line by line, each whole line once", () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-"));
  try {
    const file = join(folder, "log");
    const tail = new Tail(file);
    assert.equal(tail.lines(), "", "it is not there yet");
    appendFileSync(file, "one\ntw");
    assert.equal(tail.lines(), "one\n");
    assert.equal(tail.lines(), "");
    appendFileSync(file, "o\nthrée\n");
    assert.equal(tail.lines(), "two\nthrée\n");
    const long = `${"x".repeat(3000)}\n`.repeat(1000);
    appendFileSync(file, `${long}rest`);
    assert.equal(tail.lines(), long, "more than it reads at once");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
