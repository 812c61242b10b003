// lane: waits, 60 s
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { Random } from "#node/core/random.ts";
import { LABEL_VARIABLE, newLabel } from "./label.ts";
import { labelledGroup, labelledProcesses, leftovers, reap } from "./reaper.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

/** Every network namespace that any process of this machine is in, with the processes. */
function namespaces(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^[0-9]+$/.test(entry))) {
    try {
      const namespace = readlinkSync(`/proc/${name}/ns/net`);
      const status = readFileSync(`/proc/${name}/status`, "utf8").replaceAll(/\s+/g, " ").slice(0, 120);
      found.set(namespace, [...(found.get(namespace) ?? []), status]);
    } catch {
      // It has just ended.
    }
  }
  return found;
}

const ownedBy = (pid: number): number =>
  labelledProcesses().filter(({ label }) => label.split(".")[1] === String(pid)).length;

test("an orchestrator killed at 20 random moments leaves no process and no namespace", async () => {
  const random = new Random(20);
  const before = namespaces();
  let busiest = 0;
  for (let kill = 0; kill < 20; kill++) {
    const rootless = kill % 2 === 0 ? [] : ["--rootless"];
    const child = spawn(process.execPath, [MAIN, "up", "3dc", ...rootless], { stdio: "pipe" });
    const { pid } = child;
    assert.ok(pid !== undefined);
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // Half of them while it starts, half when it has started: a busy machine starts slowly.
    if (kill % 4 < 2) await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, random.integer(0, kill % 4 < 2 ? 200 : 1500)));
    busiest = Math.max(busiest, ownedBy(pid));
    child.kill("SIGKILL");
    await exited;
    // What was started in the very moment is the reaper's; the kernel takes a moment for the rest.
    await until(() => {
      reap();
      return ownedBy(pid) === 0;
    });
  }
  assert.ok(busiest >= 3, "in some moments the keeper, the plane and the prober ran");
  // A process that was killed has no environment any more while the kernel takes its devices down, and so
  // no label: it is waited for, but not for ever.
  const added = () => [...namespaces()].filter(([namespace]) => !before.has(namespace));
  const deadline = Date.now() + 20_000;
  while (added().length > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(added(), []);
});

test("a whole run that is killed leaves no server, no client and no folder", async () => {
  const out = mkdtempSync(join(tmpdir(), "polebench-test-"));
  using cleanup = new DisposableStack();
  cleanup.defer(() => rmSync(out, { recursive: true }));
  for (const [phase, least] of [
    ["ensemble", 4],
    ["load", 9],
  ] as const) {
    const words = `run --topology 2dc --runtime netns --rate 60/s --duration 30s --out ${out}`.split(" ");
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "ignore", "pipe"] });
    const { pid } = child;
    assert.ok(pid !== undefined);
    const exited = once(child, "exit");
    let told = "";
    child.stderr.on("data", (bytes: Buffer) => (told += bytes.toString()));
    await until(() => told.includes(`: ${phase}`) || child.exitCode !== null);
    await until(() => ownedBy(pid) >= least || child.exitCode !== null);
    assert.equal(child.exitCode, null, told);
    child.kill("SIGKILL");
    await exited;
    await until(() => {
      reap();
      return ownedBy(pid) === 0;
    });
    assert.deepEqual(globSync(`${tmpdir()}/polebench-run-*.${pid}.*`), [], phase);
  }
});

test("the reaper spares what belongs to a living run, and takes what belongs to none", async () => {
  const [run, , , world] = newLabel().split(".");
  const sleeper = (label: string) =>
    spawn("sleep", ["1000"], { env: { ...process.env, [LABEL_VARIABLE]: label }, stdio: "ignore" });
  const mine = sleeper(newLabel());
  const orphan = sleeper(`${run}.1.7.${world}`);
  const stranger = sleeper(`${run}.1.7.elsewhere`);
  await until(() => leftovers().some(({ pid }) => pid === orphan.pid));
  const exited = new Promise((resolve) => orphan.once("exit", resolve));
  const removed = reap();
  await exited;
  assert.ok(removed.some((what) => what.includes(String(orphan.pid))));
  for (const spared of [mine, stranger]) {
    assert.ok(labelledProcesses().some(({ pid }) => pid === spared.pid));
    spared.kill();
  }
});

test("what is in the control group of a dead run goes with it, label or none", {
  timeout: 60_000,
}, async (t) => {
  const [run, , , world] = newLabel().split(".");
  const name = labelledGroup(`${run}.1.7.${world}`);
  const [parent = ""] = globSync(["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs"]);
  const group = join(dirname(parent), name);
  mkdirSync(join(group, "container"), { recursive: true });
  const nameless = spawn("sleep", ["1000"], { stdio: "ignore" });
  t.after(() => nameless.kill());
  const exited = once(nameless, "exit");
  writeFileSync(join(group, "container", "cgroup.procs"), String(nameless.pid));
  reap();
  await exited;
  await until(() => {
    reap();
    return !existsSync(group);
  });
});
