// lane: waits, 45 s
/** What trials on real processes owe whoever looks at them also where their network cannot be certified. */

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import type { ServiceRecording } from "../../recording/recording.ts";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { Interrupted } from "../../terminal/interrupted.ts";
import { runLive } from "./trial.ts";
import { conclude } from "../../measure/conclude.ts";

const live = (
  flags: TrialFlags,
  signal = new AbortController().signal,
  progress: (phase: string) => void = () => {},
): Promise<ServiceRecording> =>
  runLive(planTrial({ rate: "60/s", warmUp: "1s", settle: "1s", ...flags }, "netns"), {
    command: "test",
    signal,
    progress,
  });

suite("a trial on real processes, whatever else they share their machine with", () => {
  test("a machine that dies is noticed by its silence, and comes back with what its disk kept", async () => {
    const recording = await live({
      oracle: "preference",
      preference: "p3",
      duration: "7s",
      fault: ["1500ms crash-machine p5", "3s pause p1", "4s resume p1", "5s restart crashed"],
    });
    const {
      measures,
      verdict: { findings },
    } = conclude(recording);
    assert.deepEqual(
      findings.filter(({ property }) => /lost|order|equal/.test(property)).flatMap(({ reasons }) => reasons),
      [],
    );
    assert.equal(measures.reigns.at(-1)?.leader, 3);
    const noticed = recording.events.flatMap(({ event }) =>
      event.kind === "down" && event.server === 5 ? [event.reason] : [],
    );
    // Beside others, one may also have been late at the start.
    assert.ok(
      noticed.some((reason) => reason.includes("nothing heard")),
      noticed.join("; "),
    );
    assert.deepEqual(
      recording.finals.map(({ server }) => server),
      [1, 2, 3, 4, 5],
    );
  });

  test("two at the same time know nothing of each other", async () => {
    const flags = { topology: "2dc", oracle: "preference", duration: "5s", killAt: "2500ms" };
    const wanted = [3, 4];
    const both = await Promise.all(wanted.map((server) => live({ ...flags, preference: `p${server}` })));
    for (const [index, recording] of both.entries()) {
      const {
        measures,
        verdict: { findings },
      } = conclude(recording);
      // How exact their networks are while they share a machine, others test.
      const wrong = findings.filter(
        ({ property, judgement }) => judgement !== "valid" && !/network/.test(property),
      );
      assert.deepEqual(wrong, []);
      assert.deepEqual(measures.leaders, { before: 5, after: wanted[index] });
      assert.equal(recording.finals.length, 4);
    }
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
