// lane: waits, 40 s
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { suite } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { isRoot } from "./environment.ts";
import { newLabel } from "./label.ts";
import { labelledGroup, labelledProcesses, reap } from "./reaper.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const SUITE = fileURLToPath(new URL("reaper.suite.ts", import.meta.url));
const LOOK_MS = 20;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(LOOK_MS);
}

const ownedBy = (pid: number): number =>
  labelledProcesses().filter(({ label }) => label.split(".")[1] === String(pid)).length;

/** Most of it is waited: what each looks at is its own. */
suite("what dead runs left", { concurrency: true }, () => {
  test("in a world of its own the reaper finds everything, and takes no more", async () => {
    const world = ["--pid", "--fork", "--mount-proc", ...(isRoot() ? [] : ["--user", "--map-root-user"])];
    const words = [...world, "--", process.execPath, "--test", "--test-reporter=spec", SUITE];
    const env = { NODE_TEST_CONTEXT: undefined };
    const { exitCode, all } = await execa("unshare", words, {
      env,
      reject: false,
      all: true,
      stdin: "ignore",
    });
    assert.equal(exitCode, 0, all);
  });

  for (const [phase, least] of [
    ["ensemble", 4],
    ["load", 9],
  ] as const) {
    test(`a whole run that is killed leaves no server, no client and no folder: ${phase}`, async (t) => {
      const out = mkdtempSync(join(tmpdir(), "polebench-test-"));
      t.after(() => rmSync(out, { recursive: true }));
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
        // Who dies may write into its folder once more, and what is left then goes with the next look.
        return ownedBy(pid) === 0 && globSync(`${tmpdir()}/polebench-run-*.${pid}.*`).length === 0;
      });
    });
  }

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
});
