import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { judgeRun } from "../measure/judgement.ts";
import { measure } from "../measure/measures.ts";
import type { Recording } from "../recording/recording.ts";
import { planTrial, type TrialFlags } from "../trial/flags.ts";
import { Interrupted } from "../trial/interrupted.ts";
import { runLive } from "./live.ts";

const live = (
  flags: TrialFlags,
  signal = new AbortController().signal,
  progress: (phase: string) => void = () => {},
): Promise<Recording> =>
  runLive(planTrial({ rate: "60/s", warmUp: "1s", settle: "1s", ...flags }, "netns"), {
    command: "test",
    signal,
    progress,
  });

suite("a trial on real processes", () => {
  test("the leader's process dies, the oracle's choice follows, nothing acknowledged is lost", async () => {
    const recording = await live({
      oracle: "preference",
      preference: "p3",
      duration: "5s",
      killAt: "2500ms",
    });
    const measures = measure(recording);
    const { judgement, findings } = judgeRun(recording, measures);
    assert.equal(judgement, "valid", JSON.stringify(findings));
    assert.deepEqual(measures.leaders, { before: 5, after: 3 });
    assert.deepEqual(
      recording.marks.map(({ fault, servers }) => [fault, servers]),
      [["crash leader", [5]]],
    );
    assert.deepEqual(
      recording.finals.map(({ server }) => server),
      [1, 2, 3, 4],
    );
    assert.ok(measures.recovery !== null, "the story tells where the time went");
    const planned = new Set(recording.operations.map(({ id }) => id));
    assert.equal(planned.size, recording.operations.length, "every request ends once");
    const moved = recording.operations.filter(({ client, server }) => client === 5 && server !== 5);
    assert.ok(
      moved.length > 0 && moved.every(({ server }) => server === 4),
      "to the other server of its site",
    );
  });

  test("a machine that dies is noticed by its silence, and comes back with what its disk kept", async () => {
    const recording = await live({
      oracle: "preference",
      preference: "p3",
      duration: "7s",
      fault: ["1500ms crash-machine p5", "3s pause p1", "4s resume p1", "5s restart crashed"],
    });
    const measures = measure(recording);
    const { findings } = judgeRun(recording, measures);
    assert.deepEqual(
      findings.filter(({ property }) => /lost|order|equal/.test(property)).flatMap(({ reasons }) => reasons),
      [],
    );
    assert.equal(measures.reigns.at(-1)?.leader, 3);
    const noticed = recording.events.find(({ event }) => event.kind === "down" && event.server === 5);
    assert.match(noticed?.event.kind === "down" ? noticed.event.reason : "", /nothing heard/);
    assert.deepEqual(
      recording.finals.map(({ server }) => server),
      [1, 2, 3, 4, 5],
    );
  });

  test("one that is interrupted gives back what it has; before the load there is nothing", async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    early.abort();
    await assert.rejects(live({ duration: "5s" }, early.signal), Interrupted);
    const recording = await live({ duration: "60s", killAt: "never" }, late.signal, (phase) => {
      if (phase === "load") setTimeout(() => late.abort(), 1000);
    });
    assert.equal(recording.interrupted, true);
    assert.ok(recording.operations.length > 0);
  });
});
