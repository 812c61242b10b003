// lane: quiet, 70 s: whether a network deserves its certificate must not depend on other tests
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { seconds } from "#node/core/time.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { planTrial, type TrialFlags } from "../../plan/flags.ts";
import { withService } from "../../plan/plan.ts";
import { SYSTEMS } from "../../system/catalog.ts";
import { runLive } from "./trial.ts";
import { conclude } from "../../measure/conclude.ts";

const OPTIONS = { command: "test", signal: new AbortController().signal };

const live = (flags: TrialFlags): Promise<ServiceRecording> =>
  runLive(planTrial({ rate: "60/s", warmUp: "1s", settle: "1s", ...flags }, "netns"), OPTIONS);

suite("a trial on real processes", () => {
  test("the leader's process dies, the oracle's choice follows, nothing acknowledged is lost", async () => {
    const recording = await live({
      oracle: "preference",
      preference: "p3",
      duration: "5s",
      killAt: "2500ms",
    });
    const {
      measures,
      verdict: { judgement, findings },
    } = conclude(recording);
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
    const recording = await runLive({ ...withService(plan, { state }), faults, phases }, { ...OPTIONS });
    const {
      measures,
      verdict: { judgement, findings },
    } = conclude(recording);
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
    const {
      measures,
      verdict: { judgement, findings },
    } = conclude(recording);
    assert.equal(judgement, "valid", JSON.stringify(findings));
    assert.deepEqual(measures.leaders, { before: 5, after: 4 });
    assert.equal(measures.recovery?.leader, 4);
    assert.ok(readdirSync(folder).includes("p4.log"), "logs are kept");
  });

  test("etcd is measured by clients of its own protocol, and the leader that was asked for is made one", {
    skip: SYSTEMS.etcd.missing() ?? false,
  }, async () => {
    const phases = { warmUp: "1s", settle: "3s", duration: "10s", killAt: "3s" };
    const plan = planTrial({ system: "etcd", rate: "60/s", firstLeader: "p3", ...phases }, "netns");
    const recording = await runLive(plan, { ...OPTIONS });
    const {
      measures,
      verdict: { judgement, findings },
    } = conclude(recording);
    assert.equal(judgement, "valid", JSON.stringify(findings));
    assert.equal(measures.leaders.before, 3);
    assert.ok(measures.leaders.after !== null && measures.leaders.after !== 3);
    assert.equal(measures.recovery?.leader, measures.leaders.after);
    const { noticed, elected } = measures.recovery.stages;
    assert.ok(noticed > 0 && elected > 0, "its log tells when it stood, and when it had won");
    assert.ok(recording.operations.some(({ outcome, completed }) => outcome === "ok" && completed > 9e6));
  });
});
