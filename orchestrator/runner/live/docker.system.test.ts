// lane: alone, 50 s, with docker: when a fault takes hold is a moment that another test must not move
import assert from "node:assert/strict";
import test from "node:test";
import { planTrial } from "../../plan/flags.ts";
import { runtimeOf } from "../runtime.ts";
import { OF_PROCESSES } from "../../testing/fault-stories.ts";
import { useDaemon } from "../../testing/suite-fixtures.ts";
import { runLive } from "./trial.ts";
import { conclude } from "../../measure/conclude.ts";

const OPTIONS = { command: "test", signal: new AbortController().signal };

test("where a Docker daemon answers, trials run in containers", async (context) => {
  await using _ = await useDaemon();

  await context.test("it is what is taken, but for what containers cannot run", async () => {
    const anything = { systems: [], ownOracle: false, bends: false };
    assert.equal((await runtimeOf("auto", anything)).runtime, "docker");
    assert.notEqual((await runtimeOf("auto", { ...anything, systems: ["zookeeper"] })).runtime, "docker");
    assert.notEqual((await runtimeOf("auto", { ...anything, bends: true })).runtime, "docker");
  });

  await context.test("the leader dies, and nothing is lost", async () => {
    const flags = { rate: "60/s", warmUp: "1s", settle: "1s", duration: "6s", killAt: "2500ms" };
    const plan = planTrial({ ...flags, topology: "2dc", oracle: "preference", preference: "p3" }, "docker");
    const recording = await runLive(plan, OPTIONS);
    const {
      measures,
      verdict: { findings },
    } = conclude(recording);
    // Containers share this machine with all other tests: how exact its network is, others test.
    const wrong = findings.filter(
      ({ property, judgement }) => judgement !== "valid" && !/network/.test(property),
    );
    assert.deepEqual(wrong, []);
    assert.deepEqual(measures.leaders, { before: 5, after: 3 });
  });

  // The network alone is the same code and the same devices around containers.
  await context.test(OF_PROCESSES.name, async () =>
    OF_PROCESSES.check(await runLive(planTrial(OF_PROCESSES.flags, "docker"), OPTIONS)),
  );
});
