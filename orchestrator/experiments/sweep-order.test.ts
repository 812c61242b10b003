import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { prospect } from "../topology/model.ts";
import type { ExperimentRun, Setting } from "./experiment.ts";
import { DEPLOYMENT_3 } from "./figure-7b.ts";
import { sweepCells } from "./load-sweep.ts";
import { latenciesOf, madeRun } from "../testing/made-run.ts";
import { isBestEverywhere, orderedAsPhysics } from "./sweep-order.ts";

const SETTING: Setting = { runtime: "sim", quick: true, repetitions: 1, seed: 1, megabytes: [] };

/** Deployment 3: latency elects the neighbour of the load, all others p4, rotating and request p1. */
function elected(oracle: string, p: number): number {
  if (oracle === "rotating" || oracle === "request") return 1;
  return oracle === "latency" && p >= 0.5 ? 3 : 4;
}

/** Every site's mean is what physics allows the leader, and `extra` more. */
function lived(extra: (oracle: string, p: number) => number): readonly ExperimentRun[] {
  return sweepCells(DEPLOYMENT_3, SETTING).map((cell) => {
    const { topology, subject } = cell.plan;
    const { oracle, firstLeader } = subject;
    const p = Number(cell.x);
    const leader = elected(oracle.name, p);
    const { sites } = prospect(topology, serverId(leader), [firstLeader]);
    const means = new Map([...sites].map(([site, ms]) => [site, ms + extra(oracle.name, p)]));
    return madeRun(cell, { leaders: { before: 5, after: leader }, latencyMs: latenciesOf(means) });
  });
}

suite("the order of oracles over the load", () => {
  test("is that of physics when everything takes 2 ms more", () => {
    const check = orderedAsPhysics(
      lived(() => 2),
      DEPLOYMENT_3,
      "mean",
    );
    assert.ok(check.holds, check.what);
    assert.match(check.what, /in (\d+) of \1 pairs; /);
  });

  test("names the pair that is not", () => {
    const slow = lived((oracle, p) => (oracle === "latency" && p === 1 ? 60 : 2));
    const check = orderedAsPhysics(slow, DEPLOYMENT_3, "mean");
    assert.ok(!check.holds);
    assert.match(check.what, /not in latency 113 and history 109 ms at p = 1/);
    assert.ok(!isBestEverywhere(slow, DEPLOYMENT_3, "latency", "mean"));
  });

  test("asks no order of a tie: p3 is 4 % behind p4 at p = 0.5", () => {
    const runs = lived(() => 2);
    const { what } = orderedAsPhysics(runs, DEPLOYMENT_3, "mean");
    assert.match(what, /widest measured history 84\.5 and latency 88\.0 ms at p = 0\.5$/);
    assert.ok(isBestEverywhere(runs, DEPLOYMENT_3, "latency", "mean"));
    assert.ok(!isBestEverywhere(runs, DEPLOYMENT_3, "history", "mean"));
  });

  test("but a tie stays together", () => {
    const runs = lived((oracle, p) => (oracle === "consensus" && p === 0 ? 12 : 2));
    const check = orderedAsPhysics(runs, DEPLOYMENT_3, "mean");
    assert.ok(!check.holds);
    assert.match(check.what, /too far apart for a tie: history 60\.3 and consensus 70\.3 ms at p = 0, /);
  });

  test("is not that of physics where nothing was measured", () => {
    assert.ok(!orderedAsPhysics([], DEPLOYMENT_3, "mean").holds);
    assert.ok(!isBestEverywhere([], DEPLOYMENT_3, "latency", "mean"));
    const without = lived(() => 2).filter(({ plan }) => plan.subject.oracle.name !== "request");
    assert.ok(!orderedAsPhysics(without, DEPLOYMENT_3, "mean").holds, "an oracle is missing");
  });
});
