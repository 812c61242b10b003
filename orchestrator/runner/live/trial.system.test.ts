// lane: alone, 70 s: whether a network deserves its certificate must not depend on other tests
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { seconds } from "#node/core/time.ts";
import { judgeRun } from "../../measure/judgement.ts";
import { measure } from "../../measure/measures.ts";
import type { Recording } from "../../recording/recording.ts";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { Interrupted } from "../../terminal/interrupted.ts";
import { runLive } from "./trial.ts";

const OPTIONS = { command: "test", signal: new AbortController().signal };

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

  test("an outdated server that is elected fetches what it lacks before it serves", async () => {
    const plan = planTrial(
      { topology: "8a", oracle: "preference", preference: "p1", rate: "60/s", warmUp: "500ms", settle: "1s" },
      "netns",
    );
    const state = { bytes: 4e6, absent: [serverId(1)], historyBytes: 2 ** 20 };
    const faults = [
      { at: seconds(1), fault: { kind: "restart" as const, target: { kind: "crashed" as const } } },
      { at: seconds(3), fault: { kind: "crash" as const, target: { kind: "leader" as const } } },
    ];
    const phases = { ...plan.phases, duration: seconds(6), drain: seconds(10) };
    const recording = await runLive({ ...plan, state, faults, phases }, { ...OPTIONS });
    const measures = measure(recording);
    const { judgement, findings } = judgeRun(recording, measures);
    assert.equal(judgement, "valid", JSON.stringify(findings));
    assert.deepEqual(measures.leaders, { before: 5, after: 1 });
    assert.ok((measures.recovery?.pulledBytes ?? 0) > 4e6, "all of the state");
  });

  test("Apache ZooKeeper is measured by the same clients, and its log tells its recovery", async () => {
    const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
    using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
    const plan = planTrial(
      { system: "zookeeper", rate: "60/s", warmUp: "1s", settle: "2s", duration: "8s", killAt: "3s" },
      "netns",
    );
    const recording = await runLive(plan, { ...OPTIONS, logs: folder });
    const measures = measure(recording);
    const { judgement, findings } = judgeRun(recording, measures);
    assert.equal(judgement, "valid", JSON.stringify(findings));
    assert.deepEqual(measures.leaders, { before: 5, after: 4 });
    assert.equal(measures.recovery?.leader, 4);
    assert.ok(readdirSync(folder).includes("p4.log"), "logs are kept");
  });

  test("two at the same time know nothing of each other", async () => {
    const flags = { topology: "2dc", oracle: "preference", duration: "5s", killAt: "2500ms" };
    const wanted = [3, 4];
    const both = await Promise.all(wanted.map((server) => live({ ...flags, preference: `p${server}` })));
    for (const [index, recording] of both.entries()) {
      const measures = measure(recording);
      const { findings } = judgeRun(recording, measures);
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
