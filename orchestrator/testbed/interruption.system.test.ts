import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { labelledProcesses } from "./reaper.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "polebench-test-"));
after(() => rmSync(out, { recursive: true }));

/** Ctrl-C as a terminal does it, to all processes of the command, `later` after it has said this. */
async function interrupted(command: string, said: string, later: number): Promise<string> {
  const words = [MAIN, ...command.split(" "), "--out", out];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"], detached: true });
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

const LIVE = "run --topology 2dc --runtime netns --rate 60/s --duration 20s";

suite("Ctrl-C", () => {
  test("before the load leaves nothing behind", async () => {
    for (const phase of ["network", "ensemble"]) {
      assert.equal(await interrupted(LIVE, `: ${phase}`, 300), "", phase);
    }
  });

  test("during the load keeps what was measured, as unknown", async () => {
    assert.match(await interrupted(LIVE, ": load", 2000), /^unknown: p5 led/);
    const folder = join(out, "run", "latest");
    const measured = JSON.parse(readFileSync(join(folder, "measured.json"), "utf8")) as object;
    assert.equal("interrupted" in measured && measured.interrupted, true);
    assert.ok(existsSync(join(folder, "logs", "p5.log")));
  });

  test("ends virtual time and a paper's figures too", async () => {
    assert.match(await interrupted("run --runtime sim --duration 300s", "virtual time", 2000), /^unknown/);
    const printed = await interrupted("paper --runtime sim --figure 6", "runtime: sim", 3000);
    assert.match(printed, /^not run 6: interrupted with \d+ of 45 runs done/);
  });
});
