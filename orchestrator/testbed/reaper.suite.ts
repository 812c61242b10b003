/**
 * The part of the reaper's tests that looks at every process there is; to be run in a world of its own, as
 * the first processes of a pid namespace, so that nobody else's are there to be seen.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "#node/core/random.ts";
import { LABEL_VARIABLE, newLabel } from "./label.ts";
import { labelledProcesses, leftovers, reap } from "./reaper.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const KILLS = 20;
const AT_ONCE = 4;
const LOOK_MS = 20;

/** Every network namespace that any process is in, with the processes. */
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

interface Kill {
  readonly rootless: boolean;
  /** Not before it says that it has started. */
  readonly started: boolean;
  readonly laterMs: number;
}

/** Of one orchestrator; gives how many processes it had. */
async function killed({ rootless, started, laterMs }: Kill): Promise<number> {
  const words = [MAIN, "up", "3dc", ...(rootless ? ["--rootless"] : [])];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const { pid } = child;
  assert.ok(pid !== undefined);
  const exited = once(child, "exit");
  if (started) await Promise.race([once(child.stdout, "data"), exited]);
  await delay(laterMs);
  assert.equal(child.exitCode, null, "it ended by itself");
  const count = ownedBy(pid);
  child.kill("SIGKILL");
  await exited;
  // What was started in the very moment is the reaper's; the kernel takes a moment for the rest.
  for (; ownedBy(pid) > 0; await delay(LOOK_MS)) reap();
  return count;
}

test(`orchestrators killed at ${KILLS} random moments leave no process and no namespace`, async () => {
  const random = new Random(KILLS);
  // Half of them while they start, half when they have started: a busy machine starts slowly.
  const kills = Array.from({ length: KILLS }, (_, kill): Kill => {
    const started = kill % 4 < 2;
    return { rootless: kill % 2 === 1, started, laterMs: random.integer(0, started ? 200 : 1500) };
  });
  const before = namespaces();
  const counts: number[] = [];
  const some = async (): Promise<void> => {
    for (let kill = kills.pop(); kill !== undefined; kill = kills.pop()) counts.push(await killed(kill));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  assert.equal(counts.length, KILLS);
  assert.ok(Math.max(...counts) >= 3, "in some moments the keeper, the plane and the prober ran");
  // A process that was killed has no environment any more while the kernel takes its devices down, and so
  // no label: it is waited for, but not for ever.
  const added = () => [...namespaces()].filter(([namespace]) => !before.has(namespace));
  const deadline = Date.now() + 20_000;
  while (added().length > 0 && Date.now() < deadline) await delay(LOOK_MS);
  assert.deepEqual(added(), []);
});

test("the reaper spares what belongs to a living run, and takes what belongs to none", async () => {
  const [run, , , world] = newLabel().split(".");
  const sleeper = (label: string) =>
    spawn("sleep", ["1000"], { env: { ...process.env, [LABEL_VARIABLE]: label }, stdio: "ignore" });
  const mine = sleeper(newLabel());
  const orphan = sleeper(`${run}.1.7.${world}`);
  const stranger = sleeper(`${run}.1.7.elsewhere`);
  while (!leftovers().some(({ pid }) => pid === orphan.pid)) await delay(LOOK_MS);
  const exited = new Promise((resolve) => orphan.once("exit", resolve));
  const removed = reap();
  await exited;
  assert.ok(removed.some((what) => what.includes(String(orphan.pid))));
  for (const spared of [mine, stranger]) {
    assert.ok(labelledProcesses().some(({ pid }) => pid === spared.pid));
    spared.kill();
  }
});
