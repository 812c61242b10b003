import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { STORIES, TO_THE_END } from "../../testing/fault-stories.ts";
import { simulate } from "./trial.ts";

suite("faults in virtual time", () => {
  for (const { name, flags, check } of [...STORIES, TO_THE_END])
    test(name, () => check(simulate(planTrial(flags, "sim"))));
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

suite("what only shows in who knows what when", () => {
  const flags: TrialFlags = {
    topology: "3dc",
    rate: "150/s",
    warmUp: "500ms",
    settle: "500ms",
    duration: "8s",
  };
  const recordingOf = (...fault: readonly string[]) => simulate(planTrial({ ...flags, fault }, "sim"));

  test("who comes back with an empty disk fetches everything", () => {
    const { finals, marks } = recordingOf("2s disk-wiped p1", "4s restart crashed");
    assert.deepEqual(
      marks.map(({ servers }) => servers),
      [[1], [1]],
    );
    assert.deepEqual(
      finals.map(({ server }) => server),
      [1, 2, 3, 4, 5],
    );
    assert.equal(new Set(finals.map(({ digest }) => digest)).size, 1);
  });

  test("who comes back to a disk that is still full ends again, and still counts as crashed", () => {
    const { marks, finals } = recordingOf("2s disk-full p1", "3s restart crashed", "5s restart crashed");
    assert.deepEqual(
      marks.map(({ servers }) => servers),
      [[1], [1], [1]],
    );
    assert.ok(!finals.some(({ server }) => server === 1));
  });

  test("a leader whose disk fails is replaced", () => {
    const { events } = recordingOf("3s disk-failing leader");
    const leaders = events.flatMap(({ event }) => (event.kind === "elected" ? [event.leader] : []));
    assert.notEqual(leaders.at(-1), 5);
  });

  test("whose clock leaps has slept, by what it sees, and holds no silence against anybody", () => {
    const { events, marks, finals } = recordingOf(
      "3s clock-jump leader +1000s",
      "3s clock-leap leader 1000s",
    );
    assert.deepEqual(
      marks.map(({ servers }) => servers),
      [[5], [5]],
    );
    assert.deepEqual(
      events.filter(({ at, event }) => at > 3e6 && (event.kind === "down" || event.kind === "looking")),
      [],
    );
    assert.equal(finals.length, 5);
  });

  test("a narrow link holds back whoever is behind it", () => {
    const { operations } = recordingOf("3s rate caltech fnal 100kbit");
    const latest = (from: number, to: number): number =>
      Math.max(
        ...operations
          .filter(({ site, intended }) => site === "fnal" && intended > from && intended < to)
          .map(({ intended, completed }) => completed - intended),
      );
    assert.ok(latest(5e6, 6e6) > 5 * latest(1e6, 3e6), `${latest(5e6, 6e6)} us`);
  });
});
