import assert from "node:assert/strict";
import test from "node:test";
import { parseRecord } from "../book/record.ts";
import type { Attempt } from "./attempt-file.ts";
import { recordOfBench } from "./record.ts";

const attempt = (repetition: number, arm: string, change: Partial<Attempt>): Attempt => ({
  repetition,
  arm,
  scenario: "steady",
  terms: "{}",
  at: "2026-01-01T00:00:00Z",
  judgement: "valid",
  reason: null,
  values: {},
  ...change,
});

const ATTEMPTS = [
  attempt(1, "polebench", { values: { writes3: [90_000] } }),
  attempt(1, "polebench", { scenario: "takeovers", values: { gap: [30, 40] } }),
  attempt(1, "etcd", { judgement: "invalid", reason: "others took 30 % of the processors meanwhile" }),
  attempt(1, "etcd", { values: { writes3: [30_000] } }),
  attempt(2, "polebench", { values: { writes3: [91_000] } }),
];
const TERMS = { command: "make bench", asked: ["quick"], arms: ["polebench", "etcd"], repetitions: 2 };

test("a bench is a record: every metric of every arm by repetition, and how many attempts that took", () => {
  const record = recordOfBench(ATTEMPTS, TERMS, []);
  assert.equal(typeof parseRecord(JSON.parse(JSON.stringify(record))), "object");
  assert.deepEqual(
    [record.kind, record.validity, record.attempts],
    ["bench", "valid", { made: 5, counted: 4 }],
  );
  const of = (name: string) => record.numbers[name]?.values.map((one) => [one.of, one.value]);
  assert.deepEqual(of("polebench: writes3"), [
    ["1", 90_000],
    ["2", 91_000],
  ]);
  assert.deepEqual(of("polebench: gap"), [
    ["1", 30],
    ["1.2", 40],
  ]);
  assert.deepEqual(of("etcd: writes3"), [["1", 30_000]]);
  const { "polebench: writes3": writes, "polebench: gap": gap } = record.numbers;
  assert.deepEqual([writes?.unit, writes?.better, gap?.better], ["/s", "more", "less"]);
});

test("one in which something has no result says so, and does not count as a whole", () => {
  const record = recordOfBench(ATTEMPTS, TERMS, ["no result: etcd, steady, repetition 2"]);
  assert.deepEqual([record.validity, record.reasons], ["unknown", ["no result: etcd, steady, repetition 2"]]);
  assert.equal(recordOfBench([], TERMS, ["no result"]).validity, "invalid");
});
