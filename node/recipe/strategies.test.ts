// lane: works, 1 s
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import type { Candidate } from "../election/priority/strategy.ts";
import { StrategyRefused, STRATEGY_NAMES, strategyOf } from "./strategies.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-strategy-"));
after(() => rmSync(folder, { recursive: true }));

const of = (id: string, site: string, score = 0): Candidate => ({ member: `m-${id}`, id, site, score });
const candidates = [of("p1", "fnal", 1), of("p2", "slac", 5), of("p3", "caltech", 4)];

const chosen = async (text: string, previous: Candidate | null = null): Promise<string> =>
  (await strategyOf(text, folder)).choose({ candidates, previous, leader: null });

test("strategies by name", async () => {
  assert.equal(await chosen("first-id"), "m-p1");
  assert.equal(await chosen("round-robin", of("p2", "slac")), "m-p3");
  assert.equal(await chosen("other-site", of("p4", "fnal")), "m-p2");
  assert.equal(await chosen("site-order:caltech,slac"), "m-p3");
  assert.equal(await chosen("best-score:1"), "m-p2");
  assert.equal(STRATEGY_NAMES.length, 5);
});

test("one's own by its path", async () => {
  writeFileSync(
    join(folder, "last.ts"),
    "export const strategy = { preempts: false, choose: ({ candidates }) => candidates.at(-1).member };",
  );
  assert.equal(await chosen("./last.ts"), "m-p3");
});

suite("what is refused, in a line", () => {
  const modules: Record<string, readonly [text: string, why: RegExp]> = {
    "throws.ts": [
      "export const strategy = { preempts: false, choose: () => { throw new Error('no idea'); } };",
      /throws\.ts: its choose\(\) fails: no idea/,
    ],
    "strangers.ts": [
      "export const strategy = { preempts: false, choose: () => 'p9' };",
      /gives "p9"; right would be a candidate's member/,
    ],
    "nothing.ts": ["export const other = 1;", /exports no strategy; right would be/],
    "broken.ts": ["export const = ;", /broken\.ts cannot be loaded/],
  };
  for (const [name, [text, why]] of Object.entries(modules)) {
    test(name, async () => {
      writeFileSync(join(folder, name), text);
      await assert.rejects(
        strategyOf(`./${name}`, folder),
        (error) => error instanceof StrategyRefused && why.test(error.message),
      );
    });
  }
  for (const [text, why] of [
    ["fastest", /there is no strategy "fastest": first-id/],
    ["site-order", /names no site/],
    ["best-score:soon", /"soon" is no number/],
    ["./gone.ts", /cannot be loaded/],
  ] as const) {
    test(text, () => assert.rejects(strategyOf(text, folder), why));
  }
});
