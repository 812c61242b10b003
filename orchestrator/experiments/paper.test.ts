// lane: works, 9 s
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { microseconds, seconds } from "#node/core/time.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import type { Measures } from "../measure/measures.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { IDEAL } from "../runner/virtual/machine.ts";
import { type Topology, withLink } from "../topology/topology.ts";
import { type ServicePlan, withService } from "../plan/plan.ts";
import { EXPERIMENTS } from "./catalog.ts";
import { figure4b } from "./figure-4b.ts";
import { ACCURACY, ledBy, loaded, paperPlan, type Setting } from "./experiment.ts";
import { conclude } from "../measure/conclude.ts";

const SETTING: Setting = { runtime: "sim", quick: true, repetitions: 1, seed: 1, megabytes: [] };

/** The tables of the paper leave out the way inside a data center, and are of means. */
function ofTables(topology: Topology): Topology {
  let plain = topology;
  for (const from of topology.sites.keys()) {
    for (const to of topology.sites.keys()) {
      plain = withLink(plain, from, to, { jitter: null, ...(from === to ? { delay: microseconds(0) } : {}) });
    }
  }
  return plain;
}

function lived(plan: ServicePlan): Measures {
  const recording = simulate(plan, "", IDEAL);
  const {
    measures,
    verdict: { judgement, findings },
  } = conclude(recording);
  assert.equal(judgement, "valid", JSON.stringify(findings));
  assert.equal(measures.leaders.before, 5);
  return measures;
}

/** POLE paper, Fig. 5 and Table 3: the sites stand in the order D1, D2, D3. */
const SITES: Readonly<Record<string, readonly [string, string, string]>> = {
  "3dc": ["caltech", "slac", "fnal"],
  "3dc-2": ["slac", "caltech", "fnal"],
  "3dc-3": ["slac", "fnal", "caltech"],
};

const weights = (name: string, shares: readonly number[]): Record<string, number> =>
  Object.fromEntries((SITES[name] ?? []).map((site, index) => [site, shares[index] ?? 0]));

suite("Figure 6: mean latency per data center under each leader is what the table says", () => {
  const table: [deployment: string, leader: number, d1: number, d2: number, d3: number][] = [
    ["3dc", 1, 130.32, 106.52, 53.26],
    ["3dc", 3, 19.76, 9.88, 63.14],
    ["3dc", 4, 9.88, 19.76, 86.94],
    ["3dc-2", 1, 130.32, 154.12, 77.06],
    ["3dc-2", 3, 19.76, 9.88, 86.94],
    ["3dc-2", 4, 9.88, 19.76, 63.14],
    ["3dc-3", 1, 86.94, 154.12, 77.06],
    ["3dc-3", 3, 106.52, 53.26, 130.32],
    ["3dc-3", 4, 53.26, 106.52, 63.14],
  ];
  for (const [deployment, leader, ...means] of table) {
    test(`${deployment} led by p${leader}`, () => {
      const topology = ofTables(loaded(deployment, weights(deployment, [1, 1, 1])));
      const measures = lived(ledBy(paperPlan(topology, "history", SETTING, 0), serverId(leader)));
      assert.equal(measures.leaders.after, leader);
      for (const [index, expected] of means.entries()) {
        const site = SITES[deployment]?.[index] ?? "";
        const found = measures.latencies.sites[site]?.after.latency?.mean ?? Number.NaN;
        assert.ok(
          Math.abs(found - expected) <= 0.01 * expected + 0.2,
          `${site}: ${found}, expected ${expected}`,
        );
      }
    });
  }
});

suite("Figures 6 and 7: every oracle elects the server that the paper's formulas name", () => {
  const even = [1, 1, 1];
  // p of the load at D3 in Deployment 1, at D2 in Deployment 3. p2 and p3 are neighbours, so either may win
  // for both.
  const table: [name: string, shares: number[], expected: Partial<Record<OracleName, number[]>>][] = [
    ["3dc", even, { request: [1], consensus: [2, 3, 4], latency: [2, 3], "worst-case": [2, 3] }],
    ["3dc", [0.5, 0.5, 0], { request: [2, 3, 4], latency: [2, 3], "worst-case": [2, 3] }],
    ["3dc", [0, 0, 1], { request: [1], latency: [1], "worst-case": [2, 3] }],
    ["3dc-2", even, { request: [1], consensus: [2, 3, 4], latency: [4], "worst-case": [4] }],
    ["3dc-2", [0, 0, 1], { request: [1], latency: [4] }],
    ["3dc-3", even, { request: [1], consensus: [2, 3, 4], latency: [4], "worst-case": [4] }],
    ["3dc-3", [0.5, 0, 0.5], { request: [1], latency: [4], "worst-case": [4] }],
    // The scores leave p5 out, and with it its clients, who make p4 the better leader by 4 % once they have
    // moved there.
    ["3dc-3", [0.25, 0.5, 0.25], { request: [1, 2, 3], latency: [2, 3] }],
    ["3dc-3", [0, 1, 0], { request: [2, 3], latency: [2, 3], "worst-case": [4] }],
  ];
  for (const [name, shares, byOracle] of table) {
    const all = { history: [4], rotating: [1], ...byOracle };
    for (const [oracle, expected] of Object.entries(all)) {
      const names = expected.map((id) => `p${id}`).join(" or ");
      test(`${name}, load ${shares.join(" ")}, ${oracle}: ${names}`, () => {
        const plan = paperPlan(loaded(name, weights(name, shares)), oracle as OracleName, SETTING, 0);
        const workload = { ...plan.subject.workload, ratePerSecond: 400, arrivals: "even" as const };
        const phases = { ...plan.phases, duration: seconds(3), settle: seconds(1), warmUp: seconds(0.2) };
        // Between two requests: what was on its way to some only would make their history the newest.
        const faults = plan.faults.map(({ fault }) => ({ at: seconds(1.501), fault }));
        const { leaders } = lived({ ...withService(plan, { workload }), phases, faults });
        assert.ok(
          leaders.after !== null && expected.includes(leaders.after),
          `p${leaders.after} was elected`,
        );
      });
    }
  }
});

test("Figure 4b comes out as the paper says, with its chart and its numbers", () => {
  const runs = figure4b.cells(SETTING).map((cell) => {
    const recording = simulate(cell.plan);
    return { ...cell, summary: conclude(recording).summary };
  });
  const { checks, comparison, figures } = figure4b.result(runs, "virtual time");
  assert.deepEqual(
    checks.filter(({ holds }) => !holds),
    [],
  );
  assert.deepEqual(
    figures.map(({ name }) => name),
    ["figure-4b"],
  );
  const [before] = comparison;
  assert.equal(before?.physics, "10.6 ms", "half of 20.75 ms, and what is between a site's machines");
  const above = Number.parseFloat(before.here) - 10.6;
  assert.ok(above > 0 && above < ACCURACY.ms + ACCURACY.share * 10.6, before.here);
});

test("every experiment's cells have names and plans of their own", () => {
  for (const experiment of EXPERIMENTS) {
    const ids = experiment.cells(SETTING).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, experiment.figure);
    assert.ok(ids.every((id) => /^[a-z0-9.-]+$/.test(id)));
  }
});

test("the same plan is the same run", () => {
  const plan = paperPlan(loaded("3dc", weights("3dc", [1, 1, 1])), "latency", SETTING, 3);
  const short = { ...plan, phases: { ...plan.phases, duration: seconds(3) } };
  const [once, again] = [simulate(short), simulate(short)];
  assert.deepEqual(once.operations, again.operations);
  assert.deepEqual(once.events, again.events);
});
