// lane: waits, 50 s
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
const home = mkdtempSync(join(tmpdir(), "polebench-test-"));
after(() => rmSync(home, { recursive: true }));

interface Interruption {
  readonly command: string;
  /** The command is interrupted `later` ms after it has said this. */
  readonly when: string;
  readonly later: number;
}

interface Left {
  readonly printed: string;
  /** Where the command ran: others run at the same time. */
  readonly out: string;
}

/** Ctrl-C as a terminal does it, to all processes of the command. */
async function interrupted({ command, when, later }: Interruption): Promise<Left> {
  const out = mkdtempSync(join(home, "out-"));
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
  while (!told.includes(when) && child.exitCode === null) await delay(20);
  await delay(later);
  assert.equal(child.exitCode, null, `it ended before it was interrupted: ${told}${printed}`);
  process.kill(-pid, "SIGINT");
  const [code] = (await exited) as [number];
  assert.equal(code, 130, told + printed);
  const left = labelledProcesses().filter(({ label }) => label.split(".")[1] === String(pid));
  assert.deepEqual(left, [], "no process is left");
  assert.deepEqual(globSync(`${tmpdir()}/polebench-run-*.${pid}.*`), [], "no folder is left");
  return { printed, out };
}

const LIVE = "run --topology 2dc --runtime netns --rate 60/s --out .";

/** In what is kept for programs, and in what everything is made from again. */
function isMarked(folder: string): boolean {
  return ["measured.json", "summary.json"].every((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    return (JSON.parse(text) as { interrupted: boolean }).interrupted;
  });
}

/** Most of a command's time is waited: several are interrupted at once, each in its own folder. */
const AT_ONCE = 4;

suite("Ctrl-C", { concurrency: AT_ONCE }, () => {
  for (const phase of ["network", "calibration", "ensemble"]) {
    test(`before the load leaves nothing behind: ${phase}`, async () => {
      const { printed, out } = await interrupted({ command: LIVE, when: `: ${phase}`, later: 300 });
      assert.equal(printed, "");
      assert.ok(!existsSync(join(out, "run", "latest")), "and no report of nothing");
    });
  }

  test("during the load keeps what was measured, as unknown", async () => {
    const { printed, out } = await interrupted({ command: LIVE, when: ": load", later: 2000 });
    assert.match(printed, /^unknown: p5 led/);
    assert.ok(isMarked(join(out, "run", "latest")));
    assert.ok(existsSync(join(out, "run", "latest", "logs", "p5.log")));
  });

  test("while the servers are asked what they hold keeps the whole load, as unknown", async () => {
    const command = `${LIVE} --duration 4s --seed 2`;
    const { printed, out } = await interrupted({ command, when: ": check", later: 0 });
    assert.match(printed, /^unknown: p5 led.*; p\d leads/);
    assert.ok(isMarked(join(out, "run", "latest")));
    const lines = readFileSync(join(out, "run", "latest", "operations.csv"), "utf8").split("\n");
    assert.ok(lines.length > 150, `${lines.length} lines of operations`);
  });

  const docker = LIVE.replace("netns", "docker");
  const skip = isInstalled("dockerd") ? false : "dockerd is not installed";

  test("takes containers down too, and the daemon that was started for them", { skip }, async () => {
    const { printed } = await interrupted({ command: docker, when: ": calibration", later: 300 });
    assert.equal(printed, "");
  });

  test("takes loaded containers down too, and keeps what was measured", { skip }, async () => {
    const { printed } = await interrupted({ command: docker, when: ": load", later: 1000 });
    assert.match(printed, /^unknown: p5 led/);
  });

  for (const [command, when, later] of [
    ["calibrate 2dc --bandwidth 120", ": calibration", 2000],
    ["bench-plane --json", "measured", 1000],
  ] as const) {
    test(`ends what only measures networks, long before it would be done: ${command}`, async () => {
      const began = performance.now();
      const { printed } = await interrupted({ command, when, later });
      assert.equal(printed, "");
      assert.ok(performance.now() - began < 120_000);
    });
  }

  test("while the report is made lets it be made: the run was whole", async () => {
    const command = "run --runtime sim --duration 3s --out .";
    const { printed, out } = await interrupted({ command, when: ": report", later: 0 });
    assert.match(printed, /^valid: p5 led/);
    assert.ok(existsSync(join(out, "run", "latest", "report.html")));
  });

  test("ends virtual time too", async () => {
    const command = "run --runtime sim --duration 300s --out .";
    const { printed } = await interrupted({ command, when: "virtual time", later: 2000 });
    assert.match(printed, /^unknown/);
  });

  test("ends a paper's figures too", async () => {
    const command = "paper --runtime sim --figure 6 --out .";
    const { printed, out } = await interrupted({ command, when: "[1/45]", later: 1500 });
    assert.match(printed, /^not run 6: interrupted with 1 of 45 runs done/);
    const [cut] = globSync(join(out, "paper/sim/cells/6/*/measured.json"));
    assert.ok(cut !== undefined && isMarked(dirname(cut)), "the raw data of the run that was cut off");
  });
});
