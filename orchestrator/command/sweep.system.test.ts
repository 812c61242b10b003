// lane: works, 15 s
// A sweep as people start it: killed at once and started again, and what is wrong with what is asked.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-sweep-"));
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const sweep = (...words: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, "sweep", ...words],
      { cwd: folder },
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });

const SMALL = "--placements random:6 --oracles latency,history --servers 3 --rate 40/s --duration 16s".split(
  " ",
);
const AT = join(folder, "reports", "sweep", "random-3-40-s-16s");

/** The ids that are in the file, and how often each was written. */
function kept(): readonly string[] {
  const file = join(AT, "cells.sqlite");
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare("SELECT id FROM cells ORDER BY rowid")
      .all()
      .map((row) => String(row["id"]));
  } catch {
    // There is a file and no table yet.
    return [];
  } finally {
    database.close();
  }
}

test("killed on the way, it goes on with what is left, and says the same as one that was not", async () => {
  const child = spawn(process.execPath, [MAIN, "sweep", ...SMALL, "--workers", "2"], {
    cwd: folder,
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  while (kept().length < 3 && child.exitCode === null) await sleep(20);
  child.kill("SIGKILL");
  await ended;
  const before = kept();
  assert.ok(before.length >= 3 && before.length < 12, `${before.length}`);
  const again = await sweep(...SMALL, "--again", "2");
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, new RegExp(`^${before.length} of 12 are there from before\n`));
  assert.match(again.stdout, /\n2 cells were run once more, with the same outcome\.\n/);
  const rows = kept();
  assert.deepEqual(rows.slice(0, before.length), before, "nothing that was there was done again");
  assert.equal(new Set(rows).size, 12);
  const whole = await sweep(...SMALL, "--out", "whole", "--workers", "1");
  const sentences = ({ stdout }: Ended): string =>
    stdout.replace(/\n\d cells were run once more.*/, "").split("\n\n")[0] ?? "";
  assert.equal(sentences(again), sentences(whole));
  const page = readFileSync(join(AT, "report.html"), "utf8");
  assert.match(page, /12 trials in virtual time\./);
  assert.ok(existsSync(join(AT, "choice.png")) && existsSync(join(AT, "sweep.json")));
});

suite("what is wrong is said in a sentence", () => {
  writeFileSync(join(folder, "odd.txt"), "3dc\natlantis\n");
  const refused: [words: string, told: RegExp][] = [
    ["--placements random:many", /^--placements: "random:many" is not random:COUNT, such as random:1000$/m],
    ["--placements odd.txt", /^there is no topology "atlantis"/],
    ["--oracles best", /^--oracles: there is no "best"; valid are history, /],
    ["--duration 5", /^--duration: "5" is no duration with its unit/],
  ];
  for (const [words, told] of refused)
    test(words, async () => {
      const { code, stdout, stderr } = await sweep(...words.split(" "));
      assert.match(stderr, told);
      assert.deepEqual([code, stdout], [64, ""]);
    });
});
