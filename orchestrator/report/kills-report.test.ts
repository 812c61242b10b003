import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { madeRecording } from "../testing/made-recording.ts";
import type { ComparedRun } from "./compared-run.ts";
import { ratioOf, writeKills } from "./kills-report.ts";

const { summary } = conclude(madeRecording());

const run = (
  arm: string,
  repetition: number,
  ms: number,
  change: Partial<ServiceSummary> = {},
): ComparedRun => ({
  id: `pause ${arm}-${repetition + 1}`,
  folder: `cells/pause-${arm}-${repetition + 1}`,
  arm,
  repetition,
  summary: { ...summary, silence: { ms, atLeast: false }, ...change },
});

const OURS = [30, 31, 32, 33, 34, 35, 36, 37, 90];
const RUNS = [
  ...OURS.map((ms, repetition) => run("latency", repetition, ms)),
  ...OURS.map((_, repetition) => run("slow", repetition, 400 + repetition)),
  run("slow", 9, 1, { verdict: { judgement: "invalid", findings: [] } }),
  ...[0, 1].map((repetition) => run("never", repetition, 14_000, { silence: { ms: 14_000, atLeast: true } })),
];

const rows = (t: { after(act: () => void): void }) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-kills-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const kinds = [{ kind: "pause" as const, runs: RUNS, attempts: [] }];
  const { text, json } = writeKills(folder, {
    command: "kills",
    arms: ["latency", "slow", "never"],
    kinds,
    failed: [],
  });
  const { kinds: found } = JSON.parse(json) as { kinds: { arms: Parameters<typeof ratioOf>[1][] }[] };
  return { text, page: readFileSync(join(folder, "report.html"), "utf8"), arms: found[0]?.arms ?? [] };
};

test("each way of losing a leader: the median with its interval, the longest, and ours as a share", (t) => {
  const { text, page, arms } = rows(t);
  assert.match(text, /^latency +9 +9 +34 \(31 to 37\) +90 +p3 /m);
  assert.match(text, /^slow +9 +10 +404 \(401 to 407\) +408 .*0\.084 \(0\.077 to 0\.091\)$/m);
  assert.equal(arms[1]?.silences.length, 9, "what is no result is not in it, and is counted");
  assert.match(page, /20 of 21 runs are valid and counted/);
});

test("who never came back while the load lasted is told as at least that long", (t) => {
  const { text, arms } = rows(t);
  assert.match(text, /^never +2 +2 +at least 14000 +at least 14000 /m);
  const [ours, , never] = arms;
  assert.ok(never !== undefined);
  assert.equal(ratioOf(ours, never)?.low, null, "two pairs have no interval");
  assert.equal(ratioOf(never, never), null, "how long ours was is not known, so neither is its share");
});
