/**
 * A command of ours that is interrupted as a terminal does it, in a folder of its own, because several may be
 * at the same time; and what it must never leave behind.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { labelledProcesses } from "../testbed/reaper.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

export interface Interruption {
  readonly command: string;
  /** The command is interrupted `later` ms after it has said this. */
  readonly when: string;
  readonly later: number;
  /** Where its own folder goes. */
  readonly home: string;
}

export interface Left {
  readonly printed: string;
  /** Where the command ran. */
  readonly out: string;
}

/** Ctrl-C as a terminal does it, to all processes of the command. */
export async function interrupted({ command, when, later, home }: Interruption): Promise<Left> {
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

export const LIVE = "run --topology 2dc --runtime netns --rate 60/s --out .";

/** In what is kept for programs, and in what everything is made from again. */
export function isMarked(folder: string): boolean {
  return ["measured.json", "summary.json"].every((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    return (JSON.parse(text) as { interrupted: boolean }).interrupted;
  });
}
