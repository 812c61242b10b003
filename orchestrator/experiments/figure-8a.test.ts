import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Check, Setting } from "./experiment.ts";
import { figure8a } from "./figure-8a.ts";
import { madeRun } from "../testing/made-run.ts";

const SETTING: Setting = { runtime: "netns", quick: true, repetitions: 1, seed: 1, megabytes: [1, 100] };
const recovery = { leader: 1, unaccountedMs: 0, totalMs: 0, detectionMs: 0, pulledBytes: 0, servers: [] };
const stagesMs = { noticed: 0, elected: 0, discovered: 0, pulled: 0, synchronized: 0, "first commit": 0 };

/**
 * Recoveries of p1 with 1 and 100 MB, by distance; those of p4 take three round trips and `slow` a megabyte.
 */
function checks(p1: Readonly<Record<string, readonly [number, number]>>, slow = 0): readonly Check[] {
  const runs = figure8a.cells(SETTING).map((cell) => {
    const [oracle = "", distance = ""] = cell.series.split(", ");
    const [leader, least = 0, most = 0] =
      oracle === "history"
        ? [4, 3 * Number.parseFloat(distance), 3 * Number.parseFloat(distance) + 99 * slow]
        : [1, ...(p1[distance] ?? [])];
    return madeRun(cell, {
      leaders: { before: 5, after: leader },
      expectedLeaders: [leader],
      recovery: { ...recovery, stagesMs, paperMs: cell.x === "1" ? least : most },
    });
  });
  return figure8a.result(runs, "made").checks;
}

/** As virtual time has it, and by how much live runs of one kind differ. */
const SOUND = {
  "0 ms": [20, 1200],
  "9.88 ms": [50, 1500],
  "20.75 ms": [80, 1250],
  "77.06 ms": [250, 2600],
} as const;

const failing = (all: readonly Check[]): readonly string[] =>
  all.filter(({ holds }) => !holds).map(({ what }) => what);

suite("Figure 8a", () => {
  test("holds where p1 takes longer with state and distance and p4 does not, give or take a quarter", () => {
    assert.deepEqual(failing(checks(SOUND)), []);
  });

  test("says what was seen", () => {
    const grown = checks(SOUND).find(({ what }) => what.startsWith("with 100 MB"));
    assert.match(
      grown?.what ?? "",
      /: 1,200 ms at 0 ms, 1,500 ms at 9\.88 ms, 1,250 ms at 20\.75 ms, 2,600 ms/,
    );
  });

  test("does not where the farthest is not the slowest", () => {
    const [one, ...more] = failing(checks({ ...SOUND, "77.06 ms": [250, 1400] }));
    assert.match(one ?? "", /^with 100 MB the outdated p1 takes longest at the farthest/);
    assert.deepEqual(more, []);
  });

  test("nor where a farther one takes much less than a nearer one", () => {
    const [one, ...more] = failing(checks({ ...SOUND, "20.75 ms": [80, 1000] }));
    assert.match(one ?? "", /^with 100 MB/);
    assert.deepEqual(more, []);
  });

  test("nor where p1 hardly grows, or p4 does", () => {
    assert.match(
      failing(checks({ ...SOUND, "0 ms": [700, 1200] })).join(),
      /^the outdated p1 takes more than twice/,
    );
    assert.match(failing(checks(SOUND, 5)).join(), /^p4 takes at most half as long again/);
  });

  test("lists the paper's sizes that were not run, and why", () => {
    const left = (change: Partial<Setting>): readonly string[] =>
      figure8a.omits?.({ ...SETTING, ...change }) ?? [];
    assert.deepEqual(left({}), ["50, 250 MB: STATE= does not name them"]);
    assert.match(left({ megabytes: [] })[0] ?? "", /^50, 100, 250 MB: short phases/);
    assert.match(left({ megabytes: [], quick: false, runtime: "sim" })[0] ?? "", /^250 MB: in virtual time/);
    assert.deepEqual(left({ megabytes: [], quick: false }), []);
  });
});
