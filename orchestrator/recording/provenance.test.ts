import assert from "node:assert/strict";
import test from "node:test";
import { provenanceOf } from "./provenance.ts";

const run = { command: "run", startedAt: "2026-01-01T10:00:00Z", commit: "abc", engine: "plane" };

test("what all runs say stands once, under the command that was typed for all of them", () => {
  assert.deepEqual(provenanceOf("compare", [run, run]), { ...run, command: "compare" });
});

test("runs of several days and commits are told apart, the most frequent first", () => {
  const later = { ...run, startedAt: "2026-01-02T10:00:00Z", commit: "def" };
  const { startedAt, commit, engine } = provenanceOf("compare", [later, run, run]);
  assert.equal(startedAt, "2026-01-01T10:00:00Z to 2026-01-02T10:00:00Z");
  assert.equal(commit, "abc (2 of 3 runs); def (1 of 3 runs)");
  assert.equal(engine, "plane");
});

test("without a run there is only the command", () => {
  assert.deepEqual(provenanceOf("paper", []), { command: "paper" });
});
