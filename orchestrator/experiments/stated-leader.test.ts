import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { OracleName } from "#node/oracle/catalog.ts";
import type { ExperimentRun, Setting } from "./experiment.ts";
import { DEPLOYMENT_1 } from "./figure-7b.ts";
import { sweepCells } from "./load-sweep.ts";
import { madeRun } from "../testing/made-run.ts";
import { statedLeader } from "./stated-leader.ts";

const SETTING: Setting = { runtime: "sim", quick: true, repetitions: 1, seed: 1, megabytes: [] };

/** A run in which p4 was expected; `counters` are those of the servers' last zxids, by id from p1. */
function run(oracle: OracleName, elected: number, counters: readonly number[]): ExperimentRun {
  const cell = sweepCells(DEPLOYMENT_1, SETTING).find(({ plan }) => plan.subject.oracle.name === oracle);
  assert.ok(cell !== undefined);
  const candidates = counters.map((counter, index) => ({
    server: index + 1,
    score: [1, counter],
    why: { epoch: 1, counter },
  }));
  return madeRun(cell, {
    leaders: { before: 5, after: elected },
    expectedLeaders: [4],
    election: { round: 2, leader: elected, candidates },
  });
}

suite("the stated leader", () => {
  test("is counted", () => {
    const check = statedLeader([run("history", 4, [7, 7, 7, 7]), run("latency", 4, [])]);
    assert.deepEqual(check, { what: "the stated leader in 2 of 2 runs", holds: true });
  });

  test("is another for history when the kill fell between two sends, and the check says so", () => {
    const check = statedLeader([run("history", 4, [7, 7, 7, 7]), run("history", 1, [8, 7, 7, 7])]);
    assert.ok(check.holds);
    assert.match(
      check.what,
      /^the stated leader in 1 of 2 runs; killed between .* \(p1 led, stated p4, scores p1 1:8, p4 1:7\)$/,
    );
  });

  test("of equal histories is the highest id's, of longer ones the longest's", () => {
    for (const counters of [
      [7, 7, 7, 7],
      [8, 9, 7, 7],
      [8, 7, 8, 7],
    ]) {
      const check = statedLeader([run("history", 1, counters)]);
      assert.ok(!check.holds, counters.join(" "));
      assert.match(
        check.what,
        /^the stated leader in 0 of 1 runs; not in 3dc-history-0-1 \(p1 led, stated p4/,
      );
    }
  });

  test("is no excuse for other oracles, nor for a run whose servers told no scores", () => {
    assert.ok(!statedLeader([run("latency", 1, [8, 7, 7, 7])]).holds);
    assert.ok(!statedLeader([run("history", 1, [])]).holds);
    assert.ok(!statedLeader([run("history", 1, [8, 7, 7])]).holds, "p4 took no part");
    assert.ok(!statedLeader([]).holds, "nothing was run");
  });
});
