import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { ensemble } from "../core/identity.ts";
import { round } from "../core/score.ts";
import { milliseconds } from "../core/time.ts";
import { epoch, zxid } from "../core/zxid.ts";
import type { View } from "../oracle/oracle.ts";
import { isModulePath, loadOracle, OracleModuleError } from "./oracle-module.ts";

const folder = mkdtempSync(join(tmpdir(), "oracle-module-"));
after(() => rmSync(folder, { recursive: true }));

const servers = ensemble([1, 2, 3]);
const view = (farthest: number, counter: number): View => ({
  self: servers[0] as View["self"],
  servers,
  roundTrips: new Map(servers.map((server, index) => [server, milliseconds([0, 2, farthest][index] ?? 0)])),
  requestRates: new Map(servers.map((server) => [server, 1])),
  unmeasured: [],
  lastZxid: zxid(epoch(1), counter),
  reports: new Map(),
  lastLeader: null,
  departed: null,
});

test("an oracle is loaded by its path and judges: the fattest among the fastest", async () => {
  const oracle = await loadOracle("./testdata/fattest-of-the-fastest.ts", import.meta.dirname);
  const score = (farthest: number, counter: number) => oracle.score(view(farthest, counter), round(1));
  assert.ok(oracle.compare(score(5, 1), score(60, 9)) > 0, "the faster class wins");
  assert.ok(oracle.compare(score(6, 2), score(5, 1)) > 0, "within a class the longer history");
});

test("a path is told from a name of the catalog", () => {
  assert.deepEqual(["./mine.ts", "/opt/mine.mjs", "mine.ts", "latency", "worst-case"].map(isModulePath), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

const whole = {
  score: "() => [1]",
  compare: "(a, b) => a[0] - b[0]",
  ready: "() => true",
  explain: "() => ({})",
};
const module = (changes: Partial<Record<keyof typeof whole, string>>) =>
  `export const oracle = { ${Object.entries({ ...whole, ...changes })
    .map(([name, code]) => `${name}: ${code}`)
    .join(", ")} };`;

suite("a wrong module is one line for people, and exit code 64", () => {
  const cases: readonly [string, string | null, RegExp][] = [
    ["not there", null, /cannot be loaded: Cannot find module/],
    ["no JavaScript", "export const = 1;", /cannot be loaded: /],
    ["fails while it loads", 'throw new Error("no licence");', /cannot be loaded: no licence$/],
    ["nothing exported", "", /exports no oracle; right would be: export const oracle: Oracle = \{ score,/],
    ["a function instead", "export const oracle = () => 1;", /exports no oracle/],
    ["half an oracle", "export const oracle = { score() {} };", /lacks compare\(\), ready\(\), explain\(\);/],
    ["a score alone", module({ score: "() => 12" }), /score\(\) gives 12; right would be a list of finite/],
    ["an endless score", module({ score: "() => [1 / 0]" }), /score\(\) gives \[null\]; right would be/],
    [
      "a score that throws",
      module({ score: "(view) => view.rtts.length" }),
      /its score\(\) fails: Cannot read/,
    ],
    ["no order", module({ compare: "() => 1" }), /compare\(\) gives \[1,1\]; right would be one sign/],
    ["a truth for an order", module({ compare: "(a, b) => a > b" }), /compare\(\) gives false; right would/],
    [
      "a promise",
      module({ ready: "async () => true" }),
      /ready\(\) gives \{\}; right would be true or false/,
    ],
    ["no numbers", module({ explain: '() => "fast"' }), /explain\(\) gives "fast"; right would be an object/],
  ];
  for (const [index, [name, text, message]] of cases.entries()) {
    test(name, async () => {
      const file = `wrong-${index}.mjs`;
      if (text !== null) writeFileSync(join(folder, file), text);
      await assert.rejects(loadOracle(`./${file}`, folder), (error) => {
        assert.ok(error instanceof OracleModuleError);
        assert.match(error.message, message);
        assert.ok(error.message.startsWith(`--oracle ./${file}: `) && !error.message.includes("\n"));
        assert.equal(error.exitCode, 64);
        return true;
      });
    });
  }
});
