import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { STORIES } from "../../testing/fault-stories.ts";
import { simulate } from "./trial.ts";

suite("faults in virtual time", () => {
  for (const { name, flags, check } of STORIES) test(name, () => check(simulate(planTrial(flags, "sim"))));
});

suite("clients of servers that are silent", () => {
  const flags: TrialFlags = { topology: "3dc", rate: "150/s", warmUp: "500ms", settle: "500ms" };
  const PATIENCE = 2667e3;

  /** What client 1, at home at p1 of fnal, wrote between the two instants of the faults. */
  function between(duration: string, fault: readonly string[]) {
    const recording = simulate(planTrial({ ...flags, duration, fault }, "sim"));
    const [from, to] = [recording.marks[0]?.at ?? Number.NaN, recording.marks.at(-1)?.at ?? Number.NaN];
    const own = recording.operations.filter(({ client }) => client === 1);
    return { from, to, own: own.filter(({ intended }) => intended > from && intended < to) };
  }

  test("one that is only cut off from the others is left as live, and the next one serves", () => {
    const { from, own } = between("9s", ["2s cut p1", "8s heal"]);
    const left = own.filter(({ outcome }) => outcome === "unknown");
    assert.ok(left.length > 10 && left.every(({ server }) => server === 1));
    const [at] = left.map(({ completed }) => completed - from);
    // The last answer came a way after the cut at most, or was the one before it.
    assert.ok(at !== undefined && Math.abs(at - PATIENCE) < 500e3, `left ${at} us after the cut`);
    const later = own.filter(({ intended }) => intended > from + PATIENCE + 500e3);
    assert.ok(later.length > 20, "it goes on");
    assert.ok(later.every(({ outcome, server }) => outcome === "ok" && server === 2));
  });

  test("with its whole site cut off it finds nobody; what waits goes out when that heals", () => {
    const { from, to, own } = between("16s", ["2s cut site:fnal", "14s heal"]);
    assert.ok(own.every(({ outcome, completed }) => outcome === "unknown" || completed > to));
    assert.ok(own.some(({ outcome }) => outcome === "ok"));
    const waited = own.filter(({ intended }) => intended > from + PATIENCE + 500e3);
    assert.ok(waited.length > 50 && waited.every(({ sent, outcome }) => sent > to && outcome === "ok"));
  });

  test("one that stands still for less than a client's patience is not left", () => {
    const { own } = between("6s", ["2s pause p1", "4s resume p1"]);
    assert.ok(own.length > 20 && own.every(({ outcome, server }) => outcome === "ok" && server === 1));
  });
});
