// lane: works, 20 s
/** Elections side by side, as people ask for it; in virtual time. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";

const POLEBENCH = fileURLToPath(new URL("../polebench", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-elections-"));
after(() => rmSync(folder, { recursive: true }));

function polebench(words: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 << 20 };
    const asked = ["elections", "--runtime", "sim", ...words.split(" ")];
    const child = execFile(POLEBENCH, asked, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

suite("what cannot be compared is refused with 64, before anything is started", () => {
  for (const [words, told] of [
    ["--elections pole,bulli", /^--elections: there is no "bulli", did you mean "bully"\?/m],
    [
      "--elections pole,time-slice",
      /^--elections: the election time-slice assumes rounds in which all step/m,
    ],
    [
      "--elections vote --lease 1001ms",
      /^--election: a lease of 1001 ms is too long: with a promise of 1000 ms .* it is 998 ms at most$/m,
    ],
    ["--elections pole,lcr,pole", /^--elections: pole stands there twice$/m],
    [
      "--elections pole,lcr --stand-delay 5ms",
      /^--stand-delay: the election pole has no such option, only vote has$/m,
    ],
    ["--elections lcr --ring p1,p2", /^--ring: it has no place for p3, p4, p5$/m],
    ["--election lcr", /^--election: name them with --elections/m],
    ["--system zookeeper", /^--system: zookeeper has an election of its own/m],
  ] as const) {
    test(words, async () => {
      const { code, stdout, stderr } = await polebench(words);
      assert.match(stderr, told);
      assert.deepEqual([code, stdout, existsSync(join(folder, "reports"))], [64, "", false]);
    });
  }
});

test("each twice, once with a second death; the page says what a better ring gains", async () => {
  const trial = "--duration 14s --warm-up 1s --kill-at 4s --settle 4s --rate 60/s --repeat 1 --quiet";
  const ran = await polebench(
    `--elections pole,lcr --oracle latency --ring p1,p4,p2,p5,p3 --out out ${trial}`,
  );
  assert.equal(ran.code, 0, ran.stderr);
  for (const arm of ["pole", "pole, second death", "lcr", "lcr, second death"])
    assert.match(ran.stdout, new RegExp(`^${arm} +p\\d +1 runs .* outage \\d+ ms$`, "m"));
  const own = join(folder, "out", "elections", "3dc-sim-seed-1");
  const page = readFileSync(join(own, "report.html"), "utf8");
  assert.match(page, /Once around the ring p1 p4 p2 p5 p3 takes 80\.0 ms one way; around p1 p2 p4 p5 p3/);
  const rows = readFileSync(join(own, "election-times.csv"), "utf8").split("\n");
  const timesOf = (arm: string): readonly number[] =>
    rows.filter((row) => row.startsWith(arm)).map((row) => Number(row.split(",")[2]));
  for (const arm of ["pole p", "lcr p"]) {
    const [first = 0, last = 0, served = 0] = timesOf(arm);
    assert.ok(0 < first && first < last && last < served + 60, `${arm}: ${first}, ${last}, ${served}`);
  }
  const [lcr = 0] = timesOf("lcr p");
  assert.ok(lcr > 80, "no token has gone around sooner");
});
