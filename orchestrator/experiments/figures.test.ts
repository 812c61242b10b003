import assert from "node:assert/strict";
import test from "node:test";
import { madeRun } from "../testing/made-run.ts";
import type { Setting } from "./experiment.ts";
import { figure3, ROUND_TRIPS_MS } from "./figure-3.ts";
import { figure8b } from "./figure-8b.ts";

const falls = (mbit: readonly number[]): boolean =>
  figure3(
    mbit.map((value) => value * 1e6),
    "made",
  ).checks.find(({ what }) => what.includes("falls"))?.holds ?? assert.fail();

test("bandwidth that stays, or only wavers, does not fall with the distance", () => {
  assert.ok(falls([999, 990, 940, 600, 397, 200]));
  assert.ok(!falls(ROUND_TRIPS_MS.map(() => 999)));
  assert.ok(!falls([999, 998, 997, 990, 980, 970]));
  assert.ok(!falls([999, 200, 940, 600, 397, 190]), "it rose on the way");
});

test("where no state was fetched nothing is known of who fetches sooner", () => {
  const holds = (megabytes: readonly number[]): boolean | undefined => {
    const setting: Setting = { runtime: "netns", quick: true, repetitions: 1, seed: 1, megabytes };
    const runs = figure8b.cells(setting).map((cell) => {
      const leader = cell.series === "p1" ? 1 : 4;
      const stagesMs = {
        noticed: 0,
        elected: 0,
        discovered: 0,
        pulled: 0,
        synchronized: 0,
        "first commit": 0,
      };
      const recovery = { leader, unaccountedMs: 0, totalMs: 0, detectionMs: 0, pulledBytes: 0, servers: [] };
      return madeRun(cell, { recovery: { ...recovery, stagesMs, paperMs: 100 * leader } });
    });
    return figure8b.result(runs, "made").checks.find(({ what }) => what.startsWith("p1 recovers"))?.holds;
  };
  assert.deepEqual([holds([1, 50]), holds([0])], [true, false]);
});
