// lane: works, 25 s
/** The command as people and scripts call it: a process, the code it ends with, and what it says where. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ServiceSummary } from "../measure/summary.ts";

const POLEBENCH = fileURLToPath(new URL("../polebench", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-command-"));
after(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const polebench = (...words: readonly string[]): Promise<Ended> => until(null, words);

/** To its end, or Ctrl-C as soon as it has said this. */
function until(said: string | null, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 << 20 };
    const child = execFile(POLEBENCH, words, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
    let told = "";
    child.stderr?.on("data", (text: string) => {
      const before = said !== null && told.includes(said);
      told += text;
      if (said !== null && !before && told.includes(said)) child.kill("SIGINT");
    });
  });
}

suite("bad input ends with 64, says what is valid, and starts nothing", () => {
  const gap = join(folder, "gap.yaml");
  writeFileSync(gap, "sites:\n  a: { servers: [p1], load: 1 }\n  b: { servers: [p2] }\n");
  const refused: [words: string, told: RegExp][] = [
    ["run --topology 3dd", /^there is no topology "3dd", did you mean "3dc"\? Valid are 2dc, 3dc, /m],
    [`run --topology ${gap}`, /gap\.yaml:2:3: a has no link to b/],
    ["run --load atlantis:1", /^--load: unknown site "atlantis"; valid are caltech, slac, fnal$/m],
    ["run --load caltech:0,slac:0", /^--load: "caltech:0,slac:0" sums to 0: somebody must send requests$/m],
    ["run --oracle best", /^--oracle: there is no "best"; valid are history, /m],
    ["run --kill-at 130s", /^--kill-at: 130s is not before the end of the load at 120s$/m],
    [
      "run --rate 90000/s",
      /^--rate: caltech would send 30000\/s, the clients of a site send 5000\/s at most$/m,
    ],
    ["run --threshold outage=2s", /^--threshold: /m],
    ["run --runtime simm", /^--runtime: there is no "simm", did you mean "sim"\? Valid are auto, docker, /m],
    ["run --killat 9s", /^error: unknown option '--killat'\n\(Did you mean --kill-at\?\)/m],
    [
      "compare --oracles latency,best",
      /^--oracles: there is no "best"; valid are .*, or zookeeper, .*etcd-tuned$/m,
    ],
    ["compare --oracles latency,history,latency", /^--oracles: latency stands there twice$/m],
    ["theory --algorithm lrc", /^--algorithm: there is no "lrc", did you mean "lcr"\? Valid are /m],
    ["theory --algorithm lcr --n 1", /^--n: 1 is too few: who is alone has nobody to elect a leader with$/m],
    ["theory --algorithm lcr --late 2", /^--late: lcr waits for nothing, so no message is too late for it$/m],
    ["paper --figure 9", /^--figure: there is no "9"/m],
    ["predict --load atlantis:1", /^--load: unknown site "atlantis"; valid are/m],
    [`validate 3dc ${gap}`, /gap\.yaml:2:3: a has no link to b/],
    ["report nowhere", /^nowhere.*: cannot be read; is this the folder of a run\?$/m],
    ["conquer", /^error: unknown command 'conquer'/],
  ];
  for (const [words, told] of refused) {
    test(words.replace(folder, ""), async () => {
      const runtime = /^(run|compare|paper) (?!.*--runtime)/.test(words) ? ["--runtime", "sim"] : [];
      const { code, stdout, stderr } = await polebench(...words.split(" "), ...runtime);
      assert.match(stderr, told);
      assert.equal(code, 64, stderr);
      assert.equal(stdout.replace(/^3dc: .*\n/, ""), "");
      assert.ok(!existsSync(join(folder, "reports")), "no folder was made");
    });
  }
});

suite("what only looks ends with 0", () => {
  test("list names what can be chosen", async () => {
    const { code, stdout } = await polebench("list");
    assert.equal(code, 0);
    assert.match(stdout, /^topologies:\n(  \S.*\n)+oracles:\n(  \S.*\n)+elections:\n(  \S.*\n)+$/);
  });

  test("plan prints what the flags mean, as a run would store it", async () => {
    const { code, stdout } = await polebench("plan", "--runtime", "sim", "--load", "fnal:1", "--quick");
    assert.equal(code, 0);
    const { subject, faults } = JSON.parse(stdout) as {
      subject: { workload: { ratePerSecond: number } };
      faults: string[];
    };
    assert.deepEqual(faults, ["10s crash leader"]);
    assert.equal(subject.workload.ratePerSecond, 1000);
  });

  test("predict says whom each oracle would elect, and what that would cost", async () => {
    const { code, stdout } = await polebench("predict", "--load", "caltech:1,slac:1,fnal:1", "--json");
    assert.equal(code, 0);
    const { leaders, elected } = JSON.parse(stdout) as {
      leaders: { leader: number; meanMs: number }[];
      elected: Record<string, number>;
    };
    assert.deepEqual([elected["request"], elected["rotating"]], [1, 1]);
    const mean = new Map(leaders.map(({ leader, meanMs }) => [leader, meanMs]));
    const chosen = mean.get(elected["latency"] ?? 0) ?? Number.NaN;
    assert.ok(chosen < (mean.get(1) ?? 0), "who judges by latency does not elect the farthest");
  });

  test("validate counts, whether by name or by file", async () => {
    const { code, stdout } = await polebench("validate", "3dc", "2dc");
    assert.deepEqual([code, stdout.split("\n").length], [0, 3]);
    assert.match(stdout, /^3dc: 3 sites, 5 servers\n2dc: 2 sites, \d servers\n$/);
  });

  test("a matrix of round trips becomes a topology that is valid", async () => {
    writeFileSync(join(folder, "far.csv"), "site,a,b\na,0,30\nb,30,0\n");
    const { code, stderr } = await polebench("import", "far.csv", "far.yaml");
    assert.equal(code, 0, stderr);
    assert.equal((await polebench("validate", "far.yaml")).code, 0);
    assert.match(readFileSync(join(folder, "far.yaml"), "utf8"), /rtt: 30ms/);
  });
});

suite("a run ends with what came of it", () => {
  const SHORT = "run --runtime sim --duration 4s --rate 60/s --out out".split(" ");

  test("a valid one with 0; its result is on stdout, and where it ran is told first", async () => {
    const { code, stdout, stderr } = await polebench(...SHORT, "--threshold", "outage<5s");
    assert.equal(code, 0, stdout + stderr);
    // Without a standing succession an outage is longer than the ways allow.
    assert.match(stdout, /^valid: p5 led: .*\n  differs: the outage is .*\n  out\/run\/.*report\.html\n$/);
    assert.match(stderr, /^runtime: sim \(as asked for\)\n/);
  });

  test("one that misses a threshold with 1, and its report made again with 1 too", async () => {
    const run = await polebench(...SHORT, "--seed", "2", "--threshold", "outage<1ms");
    assert.match(run.stdout, /\n  missed: outage<1ms, measured /);
    const again = await polebench("report", "out/run/latest");
    assert.equal(again.stdout.split("\n")[0], run.stdout.split("\n")[0]);
    assert.deepEqual([run.code, again.code], [1, 1]);
  });

  test("every run is in the book, and two are set beside each other", async () => {
    const book = await polebench("book", "out", "--format", "csv");
    assert.match(book.stdout, /,trial,"3dc, [^"]*",[0-9a-f]{12},/);
    const history = await polebench("history", "outage", "--book", "out");
    assert.match(history.stdout, /^trial: 3dc, .*: outage \(no arm was run twice\)\n.*\n.* 2 +\d+\.\d\d ms/);
    const folder = "out/run/3dc-latency-sim-seed-";
    const diff = await polebench("diff", `${folder}1`, `${folder}2`, "--numbers", "outage");
    assert.match(diff.stdout, /\noutage +ms .* not enough runs\n$/);
    assert.equal((await polebench("regress", "base.json", "--book", "out", "--write")).code, 0);
    assert.match((await polebench("regress", "base.json", "--book", "out")).stdout, /: 0 worse, 0 better/);
    const nowhere = await polebench("diff", "nowhere", folder);
    assert.deepEqual([nowhere.code, nowhere.stderr], [64, "nowhere: there is no such file or folder\n"]);
  });

  test("--quiet says nothing but the result, --json one document", async () => {
    const { code, stdout, stderr } = await polebench(...SHORT, "--quiet", "--json");
    assert.deepEqual([code, stderr], [0, ""]);
    const { verdict } = JSON.parse(stdout) as { verdict: { judgement: string } };
    assert.equal(verdict.judgement, "valid");
  });
});

suite("a comparison that was stopped", () => {
  const words =
    "compare --runtime sim --oracles history,latency --repeat 2 --duration 4s --rate 60/s --out out";
  const home = join(folder, "out/compare/3dc-sim-seed-1");
  const summaries = () => globSync("cells/*/summary.json", { cwd: home }).map((name) => join(home, name));
  const verdictOf = (file: string) =>
    (JSON.parse(readFileSync(file, "utf8")) as ServiceSummary).verdict.judgement;
  const written = (file: string) => statSync(file).mtimeMs;
  let whole = "";

  test("ends with 130 and a page of what there is; asked again it does only what is missing", async () => {
    const stopped = await until("[3/6]", words.split(" "));
    assert.equal(stopped.code, 130, stopped.stderr);
    assert.ok(existsSync(join(home, "report.html")));
    const [spoilt, sound] = summaries().filter((file) => verdictOf(file) === "valid");
    assert.ok(spoilt !== undefined && sound !== undefined, stopped.stderr);
    writeFileSync(spoilt, readFileSync(spoilt, "utf8").replace('"valid"', '"invalid"'));
    const [before, kept] = [written(spoilt), written(sound)];

    const resumed = await polebench(...words.split(" "));
    assert.equal(resumed.code, 0, resumed.stdout + resumed.stderr);
    assert.equal(written(sound), kept, "what was done was not done again");
    assert.ok(written(spoilt) > before, "what was no result was");
    assert.deepEqual(
      summaries().map(verdictOf),
      Array.from({ length: 6 }, () => "valid"),
    );
    whole = resumed.stdout;
    const [counted = "", ...arms] = whole.split("\n");
    assert.match(counted, /^6 of \d+ attempts are valid/);
    assert.match(
      arms.join("\n"),
      /^history +p4 +2 runs .*\nlatency +p[23].* 2 runs .*\nhistory again +p4 +2 /,
    );
  });

  test("is made again from its runs, and they from what they left", async () => {
    const made = ["report.html", "comparison.json", "outage.png", "cells/latency-2/report.html"];
    const before = readFileSync(join(home, "comparison.json"), "utf8");
    for (const name of made) rmSync(join(home, name));
    const { code, stdout, stderr } = await polebench("report", home);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.replaceAll(`${folder}/`, ""), whole);
    assert.deepEqual(
      made.filter((name) => !existsSync(join(home, name))),
      [],
    );
    assert.equal(readFileSync(join(home, "comparison.json"), "utf8"), before);
  });
});

test("the page over repetitions is made again from its runs, and is the same byte for byte", async () => {
  const words = "run --runtime sim --duration 4s --rate 60/s --oracle history --repeat 2 --out repeated";
  assert.equal((await polebench(...words.split(" "))).code, 0);
  const runs = join(folder, "repeated/run");
  const [own = ""] = globSync("*-to-*", { cwd: runs });
  const raw = /(?:record|trial|measured|asked)\.json|replay\.html|operations\.csv|events\.ndjson/;
  const made = globSync("3dc-*/*.*", { cwd: runs }).filter((name) => !raw.test(name));
  assert.ok(made.includes(join(own, "report.html")) && made.includes(join(own, "mean-latency.png")));
  const before = made.map((name) => readFileSync(join(runs, name)));
  for (const name of made) rmSync(join(runs, name));
  const { code, stderr } = await polebench("report", join(runs, own));
  assert.equal(code, 0, stderr);
  for (const [at, name] of made.entries())
    assert.ok(before[at]?.equals(readFileSync(join(runs, name))), `${name} is as it was`);
});

test("a paper's figures are made again from what their runs left", async () => {
  const paper = await polebench(..."paper --runtime sim --figure 4b --quick --out out".split(" "));
  const home = join(folder, "out/paper/sim-quick");
  const before = readFileSync(join(home, "paper.json"), "utf8");
  for (const name of ["report.html", "paper.json", "figure-4b.png"]) rmSync(join(home, name));
  const again = await polebench("report", "out/paper/sim-quick");
  assert.deepEqual([again.stdout, again.code], [paper.stdout, paper.code]);
  assert.match(again.stdout, /^holds  4b: /m);
  assert.equal(readFileSync(join(home, "paper.json"), "utf8"), before);
  assert.ok(existsSync(join(home, "report.html")) && existsSync(join(home, "figure-4b.png")));
});
