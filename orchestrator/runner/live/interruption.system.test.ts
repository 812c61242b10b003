// lane: waits, 120 s
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isInstalled } from "../../testbed/environment.ts";
import { labelledProcesses } from "../../testbed/reaper.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "polebench-test-"));
after(() => rmSync(out, { recursive: true }));

/** Ctrl-C as a terminal does it, to all processes of the command, `later` after it has said this. */
async function interrupted(command: string, said: string, later: number): Promise<string> {
  const words = [MAIN, ...command.split(" ")];
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    cwd: out,
  });
  const { pid } = child;
  assert.ok(pid !== undefined);
  const exited = once(child, "exit");
  let [told, printed] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (told += bytes.toString()));
  while (!told.includes(said) && child.exitCode === null) await delay(20);
  await delay(later);
  process.kill(-pid, "SIGINT");
  const [code] = (await exited) as [number];
  assert.equal(code, 130, told + printed);
  const left = labelledProcesses().filter(({ label }) => label.split(".")[1] === String(pid));
  assert.deepEqual(left, [], "no process is left");
  assert.deepEqual(globSync(`${tmpdir()}/polebench-run-*.${pid}.*`), [], "no folder is left");
  return printed;
}

const LIVE = "run --topology 2dc --runtime netns --rate 60/s --out .";

const noDocker = isInstalled("dockerd") ? false : "dockerd is not installed";

/** In what is kept for programs, and in what everything is made from again. */
function isMarked(folder: string): boolean {
  return ["measured.json", "summary.json"].every((name) => {
    const text = readFileSync(join(out, folder, name), "utf8");
    return (JSON.parse(text) as { interrupted: boolean }).interrupted;
  });
}

suite("Ctrl-C", () => {
  test("before the load leaves nothing behind", async () => {
    for (const phase of ["network", "calibration", "ensemble"]) {
      assert.equal(await interrupted(LIVE, `: ${phase}`, 300), "", phase);
    }
    assert.ok(!existsSync(join(out, "run", "latest")), "and no report of nothing");
  });

  test("during the load keeps what was measured, as unknown", async () => {
    assert.match(await interrupted(LIVE, ": load", 2000), /^unknown: p5 led/);
    assert.ok(isMarked("run/latest"));
    assert.ok(existsSync(join(out, "run", "latest", "logs", "p5.log")));
  });

  test("while the servers are asked what they hold keeps the whole load, as unknown", async () => {
    const short = `${LIVE} --duration 4s --seed 2`;
    assert.match(await interrupted(short, ": check", 0), /^unknown: p5 led.*; p\d leads/);
    assert.ok(isMarked("run/latest"));
    const lines = readFileSync(join(out, "run", "latest", "operations.csv"), "utf8").split("\n");
    assert.ok(lines.length > 150, `${lines.length} lines of operations`);
  });

  test("takes containers down too, and the daemon that was started for them", {
    skip: noDocker,
  }, async () => {
    const docker = LIVE.replace("netns", "docker");
    assert.equal(await interrupted(docker, ": calibration", 300), "");
    assert.match(await interrupted(docker, ": load", 1000), /^unknown: p5 led/);
  });

  test("ends what only measures networks, long before it would be done", async () => {
    const began = performance.now();
    assert.equal(await interrupted("calibrate 2dc --bandwidth 120", ": calibration", 2000), "");
    assert.equal(await interrupted("bench-plane --json", "measured", 1000), "");
    assert.ok(performance.now() - began < 120_000);
  });

  test("while the report is made lets it be made: the run was whole", async () => {
    const printed = await interrupted("run --runtime sim --duration 3s --out .", ": report", 0);
    assert.match(printed, /^valid: p5 led/);
    assert.ok(existsSync(join(out, "run", "latest", "report.html")));
  });

  test("ends virtual time and a paper's figures too", async () => {
    const long = "run --runtime sim --duration 300s --out .";
    assert.match(await interrupted(long, "virtual time", 2000), /^unknown/);
    const printed = await interrupted("paper --runtime sim --figure 6 --out .", "[1/45]", 1500);
    assert.match(printed, /^not run 6: interrupted with 1 of 45 runs done/);
    const [cut] = globSync("paper/sim/cells/6/*/measured.json", { cwd: out });
    assert.ok(cut !== undefined && isMarked(dirname(cut)), "the raw data of the run that was cut off");
  });
});
