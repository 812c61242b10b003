// lane: works, 6 s
/** Announce-listen elections as commands: what they write, how they end, and what they refuse. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const POLEBENCH = fileURLToPath(new URL("../polebench", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-announce-"));
after(() => rmSync(folder, { recursive: true }));

const polebench = (...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const child = execFile(POLEBENCH, words, { cwd: folder }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });

test("a claim is tested, drawn, and told for people and programs", async () => {
  const { code, stdout } = await polebench("announce", "--figure", "text-exponential", "--quick", "--quiet");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^holds {2}text-exponential: uniform: every N agrees with the formula$/m);
  const made = join(folder, "reports/announce/sim-quick");
  assert.deepEqual(readdirSync(made).sort(), [
    "README.md",
    "announce.json",
    "junit.xml",
    "report.html",
    "text-exponential.csv",
    "text-exponential.png",
  ]);
  const { claims } = JSON.parse(readFileSync(join(made, "announce.json"), "utf8")) as {
    readonly claims: readonly { readonly checks: readonly { readonly holds: boolean }[] }[];
  };
  assert.ok(claims[0]?.checks.every(({ holds }) => holds));
  assert.match(readFileSync(join(made, "README.md"), "utf8"), /Here: They do in large groups/);
});

test("timers are advised, and what they cost stands beside a simulation", async () => {
  const { code, stdout } = await polebench("advise-timers", "--members", "5", "--runs", "20", "--json");
  assert.equal(code, 0);
  const { timers, consequences } = JSON.parse(stdout) as {
    readonly timers: Readonly<Record<string, number>>;
    readonly consequences: readonly { readonly virtual: { readonly count: number } | null }[];
  };
  assert.ok((timers["listen"] ?? 0) > (timers["announce"] ?? 0));
  assert.equal(consequences[0]?.virtual?.count, 20);
});

test("what cannot be is refused in a sentence", async () => {
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [["announce", "--figure", "5.99"], /^--figure: there is no "5\.99"/],
    [["announce", "--runtime", "cloud"], /^--runtime: members run in sim, netns or docker, not in "cloud"/],
    [["advise-timers", "--loss", "100%"], /^--loss: "100%" is no percentage below 100%/],
    [["advise-timers", "--delay", "2s", "--announce", "1s"], /^--announce: T_A is to be longer than a way/],
  ];
  const ends = await Promise.all(refused.map(([words]) => polebench(...words)));
  for (const [at, { code, stderr }] of ends.entries()) {
    assert.equal(code, 64);
    assert.match(stderr, refused[at]?.[1] ?? /^$/);
  }
});
