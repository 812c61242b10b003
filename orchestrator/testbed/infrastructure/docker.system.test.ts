// lane: waits, 32 s, with docker
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "#node/core/random.ts";
import { parseTopology } from "../../topology/topology.ts";
import { LOADED } from "../network/fidelity.ts";
import { labelledProcesses, reap } from "../reaper.ts";
import { openTestbed } from "../testbed.ts";
import { useDaemon } from "../../testing/suite-fixtures.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const BUSY = { ...LOADED, mean: 1000, p99: 20_000, sd: 0.5, ks: 0.3, late: 0.2, grain: 500 };
const YAML = `sites:
  a: { servers: [p1], load: 1 }
  b: { servers: [p2], load: 0 }
links:
  - { between: [a, b], rtt: 20ms }
`;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** Of all that carries the label of this orchestrator: its processes, folders and control groups. */
function leftBy(pid: number): readonly string[] {
  const processes = labelledProcesses().filter(({ label }) => label.split(".")[1] === String(pid));
  const groups = [`/sys/fs/cgroup/polebench-*.${pid}.*`, `/sys/fs/cgroup/*/polebench-*.${pid}.*`];
  return [...processes.map(({ what }) => what), ...globSync([`${tmpdir()}/polebench-*.${pid}.*`, ...groups])];
}

test("of containers nothing is left of an orchestrator that was killed at any moment", async (t) => {
  const random = new Random(7);
  const seen: number[] = [];
  // The daemon, the image, the containers, the network come one after the other; at last all is up.
  for (const most of [100, 500, 1000, 2000, 4000, null]) {
    const words = ["up", "2dc", "--infrastructure", "docker"];
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "ignore"] });
    const { pid } = child;
    assert.ok(pid !== undefined);
    const exited = once(child, "exit");
    if (most === null) await once(child.stdout, "data");
    else {
      while (leftBy(pid).length === 0 && child.exitCode === null) await delay(5);
      await delay(random.integer(0, most));
    }
    assert.equal(child.exitCode, null);
    seen.push(leftBy(pid).length);
    child.kill("SIGKILL");
    await exited;
    const deadline = Date.now() + 20_000;
    while (leftBy(pid).length > 0 && Date.now() < deadline) {
      reap();
      await delay(20);
    }
    assert.deepEqual(leftBy(pid), []);
  }
  t.diagnostic(`processes, folders and groups when it was killed: ${seen.join(", ")}`);
  assert.ok((seen.at(-1) ?? 0) > 7, "a process for each machine at least");
});

test("containers of nobody, at the asked distances", { timeout: 240_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const log = (name: string): string => join(folder, `${name}.log`);
  const text = (name: string): string => readFileSync(log(name), "utf8");
  const topology = parseTopology(YAML, "test.yaml");
  await using _ = await useDaemon();
  await using testbed = await openTestbed({
    topology,
    engine: "plane",
    infrastructure: "docker",
    base: "own",
  });
  const { node, source, remark } = testbed.infrastructure;
  context.diagnostic(remark);

  await context.test("the network is as asked, measured from outside", async () => {
    const { ways } = await testbed.certify({ rounds: 50, tolerance: BUSY });
    const there = ways.find(({ from, to }) => from === "a" && to === "b");
    assert.ok(Math.abs((there?.achieved.p50 ?? 0) - 10_000) < 2000);
  });

  await context.test("whoever breaks in is nobody, and may write in his own folder only", async () => {
    const directory = join(folder, "data");
    const look = `const { readFileSync, writeFileSync } = require("node:fs");
      const attempt = (path) => {
        try { writeFileSync(path, ""); return "written"; } catch (error) { return error.code; }
      };
      const [, may] = /CapEff:\\s*(\\w+)/.exec(readFileSync("/proc/self/status", "utf8"));
      console.log(process.getuid(), parseInt(may, 16), attempt("mine"), attempt("/app/theirs"));`;
    const running = await testbed.start("p1", {
      command: [node, "--eval", look],
      directory,
      log: log("look"),
    });
    await running.exited;
    await until(() => text("look").includes("\n"));
    assert.equal(text("look"), "65532 0 written EACCES\n");
  });

  await context.test("the replica's program is in the image, with all it needs", async () => {
    const running = await testbed.start("p1", {
      command: [node, `${source}/node/main.ts`, "--help"],
      log: log("help"),
    });
    assert.deepEqual(await running.exited, { code: 0, signal: null });
    await until(() => text("help").length > 100);
  });

  await context.test(
    "a killed process leaves its machine's kernel behind, and can be started again",
    async () => {
      const server = `const server = require("net").createServer((socket) => socket.on("error", () => {}));
      server.listen(5000, () => console.log("ready"));`;
      const { address } = testbed.machine("p2");
      const caller = `const { connect } = require("net");
      const call = () => connect(5000, "${address}", () => console.log("connected"))
        .on("close", () => { console.log("closed"); setTimeout(call, 50); }).on("error", () => {});
      call();`;
      const first = await testbed.start("p2", { command: [node, "--eval", server], log: log("first") });
      await until(() => text("first").includes("ready"));
      await testbed.start("p1", { command: [node, "--eval", caller], log: log("caller") });
      await until(() => text("caller").includes("connected"));
      assert.deepEqual(await first.kill(), { code: null, signal: "SIGKILL" });
      await until(() => text("caller").includes("closed"));
      await testbed.start("p2", { command: [node, "--eval", server], log: log("second") });
      await until(() => text("caller").split("connected").length > 2);
    },
  );

  await context.test("a paused container holds still", async () => {
    const counting = "let count = 0; setInterval(() => console.log(++count), 1)";
    const running = await testbed.start("p1", { command: [node, "--eval", counting], log: log("counting") });
    await until(() => text("counting").includes("5\n"));
    await running.pause();
    const before = (await running.usage())?.processor;
    await testbed.certify({ rounds: 5, tolerance: BUSY });
    assert.equal((await running.usage())?.processor, before);
    await running.resume();
    await running.kill();
  });
});
