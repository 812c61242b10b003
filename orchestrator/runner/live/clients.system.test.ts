// lane: quiet, 35 s: two clients that measure the same do so only on the same machine
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { monotonic } from "#node/host/monotonic.ts";
import { type Statistics, statistics } from "../../statistics/summary.ts";
import { planTrial } from "../../plan/flags.ts";
import { type ServicePlan, withService } from "../../plan/plan.ts";
import { latencyMs, type WriteOperation } from "../../workload/operation.ts";
import { type Schedule, scheduleOf } from "../../workload/schedule.ts";
import type { Workload } from "../../workload/workload.ts";
import { LiveClients } from "./clients.ts";
import { priority } from "../../testbed/priority.ts";
import { LiveServers } from "./servers.ts";
import { runLive, systemOn } from "./trial.ts";
import { openTestbed, type Testbed } from "../../testbed/testbed.ts";
import { conclude } from "../../measure/conclude.ts";

const { signal } = new AbortController();
const noKazoo = existsSync("/usr/lib/python3/dist-packages/kazoo") ? false : "python3-kazoo is not installed";

test("with kazoo as the client a trial goes as with ours: it moves to another server of its site", {
  skip: noKazoo,
}, async () => {
  const fault = ["2500ms crash leader", "4s crash p2"];
  const phases = { duration: "7s", warmUp: "1s", settle: "1s" };
  const plan = planTrial({ topology: "3dc", client: "kazoo", rate: "100/s", ...phases, fault }, "netns");
  const recording = await runLive(plan, { command: "test", signal });
  const { operations, marks } = recording;
  const {
    verdict: { judgement, findings },
  } = conclude(recording);
  assert.equal(judgement, "valid", JSON.stringify(findings));
  const { intended } = scheduleOf(plan.topology, plan.subject.workload, plan.phases.duration, plan.seed);
  const ids = operations.map(({ id }) => id).sort((a, b) => a - b);
  assert.deepEqual(ids, [...intended.keys()], "every request ends once");
  for (const [client, neighbour, mark] of [
    [5, 4, marks[0]],
    [2, 3, marks[1]],
  ] as const) {
    const own = operations.filter((operation) => operation.client === client);
    assert.deepEqual(new Set(own.map(({ server }) => server)), new Set([client, neighbour]));
    const last = own.toSorted((a, b) => a.id - b.id).at(-1);
    assert.deepEqual([last?.server, last?.outcome], [neighbour, "ok"]);
    assert.ok(own.every(({ server, sent }) => server === client || sent > (mark?.at ?? Number.NaN)));
  }
});

/** A write goes from a to the leader at b and back: 20 ms, and what machines add. */
const FAR = `sites:
  a: { servers: [p1], load: 1 }
  b: { servers: [p2, p3], load: 0 }
links:
  - { between: [a, b], rtt: 20ms }
`;
/** The client stands still that long, as any program may; what was due meanwhile is sent when it wakes. */
const STILL_AT_MS = 1000;
const STILL_MS = 200;
/**
 * Of the mean and of p99: two programs that measure the same are as near as that, one that does not is not.
 */
const TOLERANCE = 0.1;
/**
 * Neither always comes first. What disturbs a round makes it slower, never faster: the best of each counts.
 */
const ORDER = ["typescript", "kazoo", "kazoo", "typescript"] as const;
const ROUNDS = 8;
const LEAD = 300e3;

interface Stage {
  readonly testbed: Testbed;
  readonly plan: ServicePlan;
  readonly schedule: Schedule;
  readonly folder: string;
}

/** One load of one client process, which stands still for a moment in it. */
async function load(
  stage: Stage,
  client: Workload["client"],
  round: number,
): Promise<readonly WriteOperation[]> {
  const { testbed, plan, schedule } = stage;
  const folder = join(stage.folder, `round-${round}`);
  mkdirSync(folder);
  const asked = withService(plan, { workload: { ...plan.subject.workload, client } });
  const clients = await LiveClients.start(testbed, asked, schedule, { folder, priority: priority(), signal });
  const origin = monotonic() + LEAD;
  clients.begin(origin);
  const [[, running] = assert.fail("no client")] = clients.lives;
  await delay((origin - monotonic()) / 1e3 + STILL_AT_MS);
  await running.pause();
  await delay(STILL_MS);
  await running.resume();
  await clients.done();
  return clients.operations().toSorted((a, b) => a.id - b.id);
}

type Seen = Pick<Statistics, "mean" | "p99">;

const best = (rounds: readonly Seen[], of: keyof Seen): number => Math.min(...rounds.map((one) => one[of]));

suite("two kinds of clients on one emulated link", { skip: noKazoo }, () => {
  test("measure the same, also what they did not send in time", async (t: TestContext) => {
    const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "far.yaml");
    writeFileSync(file, FAR);
    const plan = planTrial({ topology: file, rate: "200/s", duration: "3s", killAt: "never" }, "netns");
    const testbed = cleanup.use(await openTestbed({ topology: plan.topology, seed: plan.seed }));
    const system = systemOn(testbed, plan, folder);
    using servers = new LiveServers(testbed, plan, system, folder, priority());
    await servers.form([...plan.topology.servers.keys()], signal);
    const schedule = scheduleOf(plan.topology, plan.subject.workload, plan.phases.duration, plan.seed);
    const stage = { testbed, plan, schedule, folder };

    const rounds: Record<Workload["client"], Seen[]> = { typescript: [], kazoo: [] };
    const apart = (of: keyof Seen): number => best(rounds.kazoo, of) / best(rounds.typescript, of) - 1;
    const isClose = (): boolean => Math.abs(apart("mean")) < TOLERANCE && Math.abs(apart("p99")) < TOLERANCE;
    for (let round = 0; round < ROUNDS && !(round >= ORDER.length && isClose()); round++) {
      const client = ORDER[round % ORDER.length] ?? "kazoo";
      const operations = await load(stage, client, round);
      assert.deepEqual(
        Float64Array.from(operations, ({ intended }) => intended),
        schedule.intended,
      );
      assert.ok(operations.every(({ outcome }) => outcome === "ok"));
      const { mean, p99 } = statistics(operations.map(latencyMs)) ?? assert.fail("nothing was measured");
      t.diagnostic(`${client}: mean ${mean.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
      assert.ok(p99 > STILL_MS / 2, "what was due while it stood still has waited since");
      rounds[client].push({ mean, p99 });
    }
    const [mean, p99] = [apart("mean"), apart("p99")].map((share) => `${(100 * share).toFixed(1)} %`);
    assert.ok(isClose(), `kazoo's mean is ${mean} and its p99 ${p99} above ours`);
  });
});
