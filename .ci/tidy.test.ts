import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { tidy } from "./tidy.ts";

type Case = readonly [path: string, text: string];

const first = (...words: string[]) => words.join("");
const said = (path: string, text: string) => tidy(path, text).map(({ message }) => message);

function refuses(about: RegExp, cases: readonly Case[]): void {
  for (const [path, text] of cases) assert.match(said(path, text).join("\n"), about, `${path}: ${text}`);
}

function allows(cases: readonly Case[]): void {
  for (const [path, text] of cases) assert.deepEqual(said(path, text), [], `${path}: ${text}`);
}

test("a node:net import in a pure folder is refused, however it is written", () => {
  refuses(/a pure folder imports nothing from outside/, [
    ["node/election/pole.ts", 'import net from "node:net";\n'],
    ["node/core/time.ts", 'import type { Socket } from "node:net";\n'],
    ["node/wire/frame.ts", 'import "node:net";\n'],
    ["node/broadcast/zab.ts", 'import {\n  connect,\n} from "node:net";\n'],
    ["node/replica/replica.ts", 'export * from "node:net";\n'],
    ["node/tree/tree.ts", 'const net = import("node:net");\n'],
    ["node/client/session.ts", 'import { z } from "zod";\n'],
  ]);
  allows([
    ["node/election/pole.test.ts", 'import net from "node:net";\n'],
    ["node/host/tcp/peer.ts", 'import net from "node:net";\n'],
    ["node/election/pole.ts", '// import net from "node:net";\nconst text = \'import "node:net"\';\n'],
  ]);
});

test("a lane that is not understood is refused", () => {
  refuses(/should be like "\/\/ lane: waits, 30 s"/, [
    ["node/core/time.test.ts", "// lane: works, 3 s and more\n"],
  ]);
  allows([["node/core/time.test.ts", "// lane: works, 3 s\n"]]);
});

test("a Date.now() in a pure folder is refused", () => {
  refuses(/Date: time comes in/, [
    ["node/core/time.ts", "const now = Date.now();\n"],
    ["node/oracle/latency.ts", "const now = new Date();\n"],
    ["node/tree/tree.ts", "const text = `at ${Date.now()}`;\n"],
    ["node/host/virtual/agenda.ts", "const now = Date.now();\n"],
  ]);
  allows([
    ["node/host/tcp/clock.ts", "const now = Date.now();\n"],
    ["node/core/time.ts", "// not Date.now()\nconst text = 'Date.now()';\n"],
    ["node/host/virtual/main.ts", "const started = performance.now();\n"],
  ]);
});

test("a Math.random() in a pure folder is refused", () => {
  refuses(/Math.random: chance comes in/, [
    ["node/core/random.ts", "const x = Math.random();\n"],
    ["node/telemetry/event.ts", "const f = Math . random;\n"],
    ["node/host/virtual/network.ts", "const x = Math.random();\n"],
  ]);
});

test("pure code neither waits nor looks around", () => {
  for (const text of [
    "const started = performance.now();",
    "const name = process.env.NAME;",
    "console.log(1);",
    "export async function f() {}",
    "const f = async () => {};",
    "await f();",
    "let answer: Promise<void>;",
    "setTimeout(f, 1);",
    "globalThis.x = 1;",
    "names.sort((a, b) => a.localeCompare(b));",
  ]) {
    assert.equal(said("node/replica/replica.ts", `${text}\n`).length, 1, text);
  }
  allows([
    ["node/replica/replica.ts", "const event = { async: false, Date: 1 };\nthis.process(event.await);\n"],
  ]);
});

test("dependencies point one way", () => {
  refuses(/may not import/, [
    ["node/core/zxid.ts", 'import { score } from "../oracle/oracle.ts";\n'],
    ["node/election/pole.ts", 'import type { Oracle } from "../oracle/oracle.ts";\n'],
    ["node/oracle/latency.ts", 'import { vote } from "../election/vote.ts";\n'],
    ["node/broadcast/zab.ts", 'import { tree } from "../tree/tree.ts";\n'],
    ["node/replica/replica.ts", 'import { frame } from "../wire/frame.ts";\n'],
    ["node/wire/frame.ts", 'import { peer } from "../host/tcp/peer.ts";\n'],
    ["node/client/session.ts", 'import { replica } from "../replica/replica.ts";\n'],
    ["node/telemetry/event.ts", 'import { oracle } from "../oracle/oracle.ts";\n'],
    ["node/host/tcp/host.ts", 'import { parse } from "../../config/config.ts";\n'],
    ["node/front/front.ts", 'import { word } from "../watch/words.ts";\n'],
    ["orchestrator/topology/link.ts", 'import { plan } from "../plan/plan.ts";\n'],
    ["orchestrator/testbed/testbed.ts", 'import { run } from "../runner/run.ts";\n'],
    ["orchestrator/check/property.ts", 'import { system } from "../system/system.ts";\n'],
    ["orchestrator/fuzz/fuzz.ts", 'import { torture } from "../torture/torture.ts";\n'],
  ]);
  refuses(/is no room/, [["orchestrator/attic/box.ts", 'import { plan } from "../plan/plan.ts";\n']]);
  refuses(/only tests import/, [
    ["node/replica/replica.ts", 'import { world } from "../testing/broadcast/world.ts";\n'],
    ["orchestrator/measure/latency.ts", 'import { made } from "../testing/made-recording.ts";\n'],
  ]);
  refuses(/node\/ imports nothing outside/, [
    ["node/main.ts", 'import { x } from "../orchestrator/main.ts";\n'],
  ]);
  refuses(/inside node\/ imports are relative/, [
    ["node/main.ts", 'import { x } from "#node/core/zxid.ts";\n'],
  ]);
  refuses(/through #node\/ only/, [
    ["orchestrator/topology/topology.ts", 'import { x } from "../../node/core/zxid.ts";\n'],
  ]);
  allows([
    ["node/oracle/latency.ts", 'import { zxid } from "../core/zxid.ts";\nimport { x } from "./oracle.ts";\n'],
    ["node/replica/replica.ts", 'import { elections } from "../election/catalog.ts";\n'],
    ["node/election/catalog.ts", 'import { pole } from "./pole/entry.ts";\n'],
    ["node/election/pole/codec.ts", 'import type { Writer } from "../../wire/writer.ts";\n'],
    ["node/election/pole.ts", 'import type { Event } from "../telemetry/event.ts";\n'],
    ["node/main.ts", 'import { host } from "./host/tcp/host.ts";\n'],
    ["orchestrator/topology/topology.ts", 'import { x } from "#node/core/zxid.ts";\n'],
    ["orchestrator/runner/run.ts", 'import { plan } from "../plan/plan.ts";\n'],
    ["orchestrator/testbed/testbed.system.test.ts", 'import { run } from "../runner/run.ts";\n'],
    ["orchestrator/measure/latency.test.ts", 'import { made } from "../testing/made-recording.ts";\n'],
    [".ci/fixtures.ts", 'import { START } from "../orchestrator/testing/suite-fixtures.ts";\n'],
  ]);
});

test("an election is known to its own folder and to the catalog", () => {
  refuses(/only the catalog of elections imports from it/, [
    ["node/replica/replica.ts", 'import { PoleElection } from "../election/pole/pole.ts";\n'],
    ["node/election/tell.ts", 'import { tellPole } from "./pole/tell.ts";\n'],
    ["node/election/ring/token.ts", 'import { tellPole } from "../pole/tell.ts";\n'],
    ["orchestrator/plan/flags.ts", 'import { DEFAULT_TIMEOUT } from "#node/election/pole/pole.ts";\n'],
  ]);
  allows([
    ["node/election/catalog.ts", 'import { pole } from "./pole/entry.ts";\n'],
    ["node/election/pole/entry.ts", 'import { poleCodec } from "./codec.ts";\n'],
    ["node/election/pole/codec.ts", 'import { readScore } from "../score-codec.ts";\n'],
    ["node/election/lcr/entry.ts", 'import { overRing } from "../medium/ring.ts";\n'],
    ["node/host/virtual/swarm/checks.test.ts", 'import { pole } from "../../../election/pole/entry.ts";\n'],
  ]);
});

test("few know the virtual host", () => {
  refuses(/know the virtual host/, [
    ["orchestrator/runner/live/trial.ts", 'import { run } from "#node/host/virtual/host.ts";\n'],
    ["node/main.ts", 'import { run } from "./host/virtual/host.ts";\n'],
    ["node/host/contract.ts", 'import { run } from "./virtual/host.ts";\n'],
  ]);
  allows([
    ["orchestrator/runner/virtual/trial.ts", 'import { run } from "#node/host/virtual/host.ts";\n'],
    ["orchestrator/experiments/figure-6.ts", 'import { run } from "#node/host/virtual/host.ts";\n'],
    ["node/host/contract.test.ts", 'import { run } from "./virtual/host.ts";\n'],
  ]);
});

test("length and place", () => {
  const long = "const x = 1;\n".repeat(401);
  refuses(/over 400 lines/, [["node/core/long.ts", long]]);
  allows([["node/core/long.ts", `// Long because: one table, one place.\n${long}`]]);
  refuses(/111 columns/, [["node/core/wide.ts", `// ${"x".repeat(108)}\n`]]);
  allows([["node/core/wide.ts", `// ${"x".repeat(107)}\n`]]);
  refuses(/named after what it holds/, [["node/core/utils.ts", "const x = 1;\n"]]);
  refuses(/top-level entries/, [["scripts/x.sh", "true\n"]]);
  refuses(/only passes on others/, [
    ["node/core/all.ts", 'export * from "./a.ts";\nexport { b } from "./b.ts";\n'],
  ]);
  refuses(/ask the system/, [["orchestrator/report/page.ts", 'if (plan.system === "polebench") draw();\n']]);
  refuses(/has its sentence/, [["Makefile", "all:\n\ttrue\n"]]);
});

test("nothing unfinished, hidden, or of one machine", () => {
  refuses(/finish it/, [["node/core/zxid.ts", first("// TO", "DO: later\n")]]);
  refuses(/hides other tests/, [["node/core/zxid.test.ts", "test.only('x', () => {});\n"]]);
  refuses(/says why/, [
    ["node/core/zxid.test.ts", "test.skip('x', () => {});\n"],
    ["node/core/zxid.test.ts", "test('x', { skip: true }, () => {});\n"],
  ]);
  allows([["node/core/zxid.test.ts", "test('x', { skip: 'needs root' }, () => {});\n"]]);
  refuses(/path of one machine/, [["README.md", first("cd /wo", "rk/main\n")]]);
  refuses(/package registry/, [["README.md", first("https://regi", "stry.example/x\n")]]);
  refuses(/download address/, [["package-lock.json", first('"resolved": "ht', 'tps://example/x.tgz"\n')]]);
});

test("prose and patterns do not set off the rules, code after them does", () => {
  allows([
    ["node/core/a.ts", 'const a = "\\"Date.now()";\n'],
    ["node/core/a.ts", "const a = /[/]Date.now()/g;\n"],
    ["node/core/a.ts", "/* Math.random()\n * Date */\n"],
    ["node/core/a.ts", "const a = `Date ${b} Date`;\n"],
  ]);
  const [found] = tidy("node/core/a.ts", "const a = b / 2; // half\nconst c = `${`x`}`; Date.now() / 2;\n");
  assert.equal(found?.line, 2);
});

test("the linter refuses default exports, long functions and forgotten promises", () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-lint-"));
  try {
    writeFileSync(
      join(folder, "bad.ts"),
      `export default function long() {\n${"  f();\n".repeat(71)}}\nasync function f() {}\n`,
    );
    copyFileSync("tsconfig.json", join(folder, "tsconfig.json"));
    const args = ["node_modules/oxlint/bin/oxlint", "-c", ".oxlintrc.json", "--type-aware", folder];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(status, 1);
    for (const rule of ["no-default-export", "max-lines-per-function", "no-floating-promises"])
      assert.ok(stdout.includes(rule), `${rule} is silent\n${stdout}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
