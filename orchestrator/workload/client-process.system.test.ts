// lane: alone, 25 s: how many requests a client holds must not depend on other tests
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, suite, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { HOST } from "../topology/loopback.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { processUse } from "../system/process-use.ts";
import { SYSTEMS } from "../system/catalog.ts";
import { quantile } from "../statistics/summary.ts";
import { type ClientPlan, READY } from "./client-plan.ts";
import { latencyMs, type WriteOperation, parseOperations } from "./operation.ts";
import { printSchedule, type Schedule } from "./schedule.ts";
import { MAX_RATE_PER_SITE } from "./workload.ts";

const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const PROGRAMS = {
  typescript: [process.execPath, beside("client-main.ts")],
  kazoo: ["/usr/bin/python3", beside("kazoo_client.py")],
} as const;
const noKazoo = existsSync("/usr/lib/python3/dist-packages/kazoo") ? false : "python3-kazoo is not installed";

const CLIENTS = [1, 2, 3] as const;
const DRAIN = 5e6;
const LEAD = 300e3;

/** Three clients of one server, evenly one after the other. */
function evenly(ratePerSecond: number, seconds: number): Schedule {
  const at = Array.from({ length: ratePerSecond * seconds }, (_, index) => index);
  return {
    payloadBytes: 1024,
    clients: CLIENTS.map((id) => ({ id, site: "here", home: 1 })),
    intended: Float64Array.from(at, (index) => Math.floor((index * 1e6) / ratePerSecond)),
    client: Uint16Array.from(at, (index) => CLIENTS[index % CLIENTS.length] ?? 0),
  };
}

interface Ran {
  readonly operations: readonly WriteOperation[];
  readonly cpuSeconds: number;
}

/** Runs a client process to its end; `meanwhile` begins with the load. */
async function run(
  client: keyof typeof PROGRAMS,
  server: ServerProcess,
  schedule: Schedule,
  meanwhile: () => Promise<void> = async () => {},
): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), "polebench-client-"));
  try {
    const file = (name: string): string => join(folder, name);
    const plan: ClientPlan = {
      site: "here",
      schedule: file("schedule"),
      clients: CLIENTS.map((id) => ({ id, servers: [{ id: server.id, host: HOST }] })),
      clientPort: server.clientPort,
      startFile: file("start"),
      operations: file("operations"),
      duration: (schedule.intended.at(-1) ?? 0) + 1,
      drain: DRAIN,
    };
    writeFileSync(plan.schedule, printSchedule(schedule));
    writeFileSync(file("plan"), JSON.stringify(plan));
    const [program, script] = PROGRAMS[client];
    const running = execa(program, [script, file("plan")], { stdin: "ignore", timeout: 60_000 });
    const { pid } = running;
    assert.ok(pid !== undefined);
    let cpuSeconds = 0;
    let [before, besides] = [0, Promise.resolve()];
    const look = setInterval(() => {
      if (existsSync(`/proc/${pid}/stat`)) cpuSeconds = processUse(pid).cpuSeconds - before;
    }, 50);
    try {
      // To its end: who breaks off, ends the process.
      for await (const line of running) {
        if (line !== READY) continue;
        before = processUse(pid).cpuSeconds;
        writeFileSync(file("start.new"), String(monotonic() + LEAD));
        renameSync(file("start.new"), plan.startFile);
        besides = meanwhile();
      }
      await besides;
    } finally {
      clearInterval(look);
    }
    const operations = parseOperations(readFileSync(plan.operations, "utf8"));
    if (typeof operations === "string") assert.fail(operations);
    return { operations, cpuSeconds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const at = (share: number, values: readonly number[]): number =>
  quantile(Float64Array.from(values).sort(), share);
const lateness = ({ sent, intended }: WriteOperation): number => (sent - intended) / 1e3;

/** Every request of the schedule has ended once. */
function assertWhole(operations: readonly WriteOperation[], schedule: Schedule): void {
  const ids = operations.map(({ id }) => id).sort((a, b) => a - b);
  assert.deepEqual(ids, [...schedule.intended.keys()]);
  for (const { id, intended, client } of operations) {
    assert.deepEqual([intended, client], [schedule.intended[id], schedule.client[id]]);
  }
}

function tell(t: TestContext, who: string, { operations, cpuSeconds }: Ran, seconds: number): void {
  const p50 = at(0.5, operations.map(latencyMs)).toFixed(2);
  const late = at(0.99, operations.map(lateness)).toFixed(2);
  const share = ((100 * cpuSeconds) / seconds).toFixed(0);
  t.diagnostic(`${who}: p50 ${p50} ms, sent late by at most ${late} ms (p99), ${share} % of a core`);
}

suite("a process of write clients", () => {
  let ensemble: Ensemble;
  let server: ServerProcess;

  before(async () => {
    ensemble = await startEnsemble(SYSTEMS.polebench, 3);
    const leader = await ensemble.leader();
    server = ensemble.servers.find((one) => one !== leader) ?? leader;
  });
  after(() => ensemble[Symbol.asyncDispose]());

  for (const client of ["typescript", "kazoo"] as const) {
    const skip = client === "kazoo" ? noKazoo : false;
    test(`${client}: holds as many requests a second as it may be asked for, and has time left`, {
      skip,
    }, async (t) => {
      const [rate, seconds] = [MAX_RATE_PER_SITE[client], 4];
      const schedule = evenly(rate, seconds);
      const ran = await run(client, server, schedule);
      tell(t, `${client}, ${rate}/s`, ran, seconds);
      assertWhole(ran.operations, schedule);
      assert.ok(ran.operations.every(({ outcome }) => outcome === "ok"));
      // Whoever cannot keep up is the later the longer it lasts.
      const last = ran.operations.filter(({ intended }) => intended >= (seconds - 1) * 1e6);
      assert.ok(at(0.5, last.map(lateness)) < 250, "in the last second requests are still sent when due");
      // Of processor time, so that a busy machine changes nothing: at least a third of a core is left.
      assert.ok(ran.cpuSeconds < (2 / 3) * seconds, `${ran.cpuSeconds} s of processor in ${seconds} s`);
    });
  }

  for (const client of ["typescript", "kazoo"] as const) {
    const skip = client === "kazoo" ? noKazoo : false;
    test(`${client}: outlives its server, and knows of every request what became of it`, {
      skip,
    }, async () => {
      const schedule = evenly(200, 3);
      const { operations } = await run(client, server, schedule, async () => {
        await delay(LEAD / 1e3 + 1000);
        await server.kill();
        server.start();
      });
      await ensemble.ready();
      assertWhole(operations, schedule);
      const [first, last] = [operations[0], operations.at(-1)];
      assert.deepEqual([first?.outcome, last?.outcome], ["ok", "ok"]);
      const held = operations.filter((one) => lateness(one) > 20);
      assert.ok(held.length > 0, "what was due meanwhile was sent later");
      const lost = operations.filter(({ outcome }) => outcome === "unknown");
      assert.ok(lost.length < held.length, `${lost.length} unknown`);
    });
  }
});
