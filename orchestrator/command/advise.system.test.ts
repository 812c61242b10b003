// lane: works, 8 s
// Advice as people ask for it: a process, the code it ends with, what it says, and what it leaves.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { fileURLToPath } from "node:url";

const POLEBENCH = fileURLToPath(new URL("../polebench", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "polebench-advise-"));
after(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const advise = (words: string): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      POLEBENCH,
      ["advise", ...words.split(" ")],
      { cwd: folder },
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });

const MATRIX =
  ",fra,iad,nrt,syd,gru\nfra,,91,233,280,205\niad,91,,165,200,120\nnrt,,,,105,256\nsyd,,,,,310\ngru,,,,,\n";
writeFileSync(join(folder, "rtt.csv"), MATRIX);
writeFileSync(join(folder, "gaps.csv"), ",a,b,c\na,,10,\nb,,,20\nc,,,\n");

test("a matrix becomes a table, a page, files for programs and configuration", async () => {
  const { code, stdout, stderr } = await advise(
    "--rtt rtt.csv --servers 3 --now nrt,syd,gru --leader gru --checks 2",
  );
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^10 placements by the mean over all writes, in ms \([\d.]+ s by the model\):\n/);
  assert.match(stdout, /\nnow +nrt, syd, gru +gru /);
  assert.match(stdout, /\nSimulated: 2 of 2 are as the model says\.\n/);
  const at = join(folder, "reports", "advise", "latest");
  const advice = JSON.parse(readFileSync(join(at, "advice.json"), "utf8")) as {
    placement: string[];
    answer: string[];
    configurations: { system: string }[];
  };
  for (const sentence of advice.answer) assert.ok(stdout.includes(sentence), sentence);
  assert.deepEqual(
    advice.configurations.map(({ system }) => system),
    ["polebench", "ZooKeeper", "etcd"],
  );
  const rows = readFileSync(join(at, "placements.csv"), "utf8").trim().split("\r\n");
  assert.equal(rows.length, 1 + 10 * (10 + 3), "every placement under every oracle and every leader");
  const page = readFileSync(join(at, "report.html"), "utf8");
  for (const site of advice.placement) assert.ok(page.includes(site));
  for (const file of ["pareto-worst.png", "pareto-outage.csv", "sensitivity.csv", "zookeeper.txt"])
    assert.ok(existsSync(join(at, file)), file);
});

test("pings of a folder, a file a place, from wherever they were made", async () => {
  const logs = join(folder, "logs");
  mkdirSync(logs);
  const ping = (to: string, ms: number): string =>
    `PING ${to} (192.0.2.1)\nrtt min/avg/max/mdev = 1/${ms}/99/1 ms\n`;
  writeFileSync(join(logs, "fra.log"), ping("iad.example.net", 91) + ping("nrt.example.net", 233));
  writeFileSync(join(logs, "iad.log"), ping("nrt.example.net", 165));
  const { code, stdout } = await advise("--rtt logs --servers 3 --checks 0 --json");
  assert.equal(code, 0);
  assert.deepEqual((JSON.parse(stdout) as { placement: string[] }).placement, ["fra", "iad", "nrt"]);
});

suite("what is wrong is said in a sentence", () => {
  const refused: [words: string, code: number, told: RegExp][] = [
    ["--rtt nowhere.csv", 64, /^--rtt: nowhere\.csv: ENOENT/],
    ["--rtt gaps.csv --servers 3", 64, /^gaps\.csv: no round-trip time between a-c; measure them/],
    ["--rtt rtt.csv --servers 7 --most 1", 64, /^--servers: 7 find no room on 5 sites with 1 at most/],
    ["--rtt rtt.csv --placements fra,iad", 64, /^--placements: fra, iad has 2 servers, not 5$/m],
    [
      "--rtt rtt.csv --servers 5 --sites fra,iad --most 3 --lose site",
      2,
      /^no placement survives the loss of a/,
    ],
  ];
  for (const [words, code, told] of refused)
    test(words, async () => {
      const ended = await advise(words);
      assert.match(ended.stderr, told);
      assert.deepEqual([ended.code, ended.stdout], [code, ""]);
    });
});
