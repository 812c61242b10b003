import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import type { OracleName } from "#node/oracle/catalog.ts";
import { choice, prospect, prospects } from "./model.ts";
import { loadTopology, type Topology, withLink, withLoad } from "./topology.ts";

const p = serverId;
const P5_DEAD = [p(5)];

/** The paper leaves the way inside a data center out. */
function paper(name: string): Topology {
  let topology = loadTopology(name);
  for (const site of topology.sites.keys())
    topology = withLink(topology, site, site, { delay: microseconds(0) });
  return topology;
}

const near = (actual: number, expected: number, within: number, what: string): void =>
  assert.ok(Math.abs(actual - expected) <= within, `${what}: ${actual}, expected ${expected}`);

suite("what physics allows after p5's death", () => {
  // Deployment, leader, theta_c, mean, worst, then one latency per data center (POLE paper, Table 2 and Eq.
  // 1, 2).
  const uniform: [deployment: string, leader: number, ...milliseconds: number[]][] = [
    ["3dc", 1, 53.26, 96.7, 130.32, 130.3, 106.5, 53.3],
    ["3dc", 3, 9.88, 30.93, 63.14, 19.8, 9.9, 63.1],
    ["3dc", 4, 9.88, 38.86, 86.94, 9.9, 19.8, 86.9],
    ["3dc-2", 1, 77.06, 120.5, 154.12, 130.3, 154.1, 77.1],
    ["3dc-2", 3, 9.88, 38.86, 86.94, 19.8, 9.9, 86.9],
    ["3dc-2", 4, 9.88, 30.93, 63.14, 9.9, 19.8, 63.1],
    ["3dc-3", 1, 77.06, 106.04, 154.12, 86.9, 154.1, 77.1],
    ["3dc-3", 3, 53.26, 96.7, 130.32, 106.5, 53.3, 130.3],
    ["3dc-3", 4, 53.26, 74.31, 106.52, 53.3, 106.5, 63.1],
  ];
  for (const [name, leader, consensus, mean, worst, ...sites] of uniform) {
    test(`${name} led by p${leader}, even load`, () => {
      const found = prospect(paper(name), p(leader), P5_DEAD);
      near(found.consensusMs, consensus ?? 0, 0.006, "theta_c");
      near(found.meanMs, mean ?? 0, 0.01, "theta_l");
      near(found.worstMs, worst ?? 0, 0.006, "theta_w");
      for (const [index, latency] of [...found.sites.values()].entries()) {
        near(latency, sites[index] ?? 0, 0.06, `D${index + 1}`);
      }
    });
  }

  // p, then mean and worst of p1, p3, p4. Fig. 7b: p of the load at D3; Fig. 7c: p at D2.
  const uneven: [name: string, at: string, share: number, means: number[], worsts: number[]][] = [
    ["3dc", "fnal", 0, [118.4, 14.8, 14.8], [130.3, 63.1, 86.9]],
    ["3dc", "fnal", 0.25, [102.1, 26.9, 32.9], [130.3, 63.1, 86.9]],
    ["3dc", "fnal", 0.5, [85.8, 39.0, 50.9], [130.3, 63.1, 86.9]],
    ["3dc", "fnal", 0.75, [69.5, 51.1, 68.9], [130.3, 63.1, 86.9]],
    ["3dc", "fnal", 1, [53.3, 63.1, 86.9], [130.3, 63.1, 86.9]],
    ["3dc-3", "fnal", 0, [82.0, 118.4, 58.2], [154.1, 130.3, 106.5]],
    ["3dc-3", "fnal", 0.25, [100.0, 102.1, 70.3], [154.1, 130.3, 106.5]],
    ["3dc-3", "fnal", 0.5, [118.1, 85.8, 82.4], [154.1, 130.3, 106.5]],
    ["3dc-3", "fnal", 0.75, [136.1, 69.5, 94.4], [154.1, 130.3, 106.5]],
    ["3dc-3", "fnal", 1, [154.1, 53.3, 106.5], [154.1, 130.3, 106.5]],
  ];
  for (const [name, at, share, means, worsts] of uneven) {
    test(`${name} with ${share} of the load at ${at}`, () => {
      const topology = shared(paper(name), at, share);
      for (const [index, leader] of [1, 3, 4].entries()) {
        const found = prospect(topology, p(leader), P5_DEAD);
        near(found.meanMs, means[index] ?? 0, 0.06, `mean of p${leader}`);
        near(found.worstMs, worsts[index] ?? 0, 0.06, `worst of p${leader}`);
      }
    });
  }

  test("two data centers: before the crash cern is served at once, after it every write crosses", () => {
    const half = paper("2dc");
    near(prospect(half, p(5)).meanMs, 20.75 / 2, 0.01, "before");
    for (const leader of [1, 2, 3, 4]) {
      near(prospect(half, p(leader), P5_DEAD).meanMs, 31.125, 0.01, `p${leader} after`);
    }
    const allAtTud = shared(half, "tud", 1);
    near(prospect(allAtTud, p(1), P5_DEAD).meanMs, 20.75, 0.01, "led from tud");
    near(prospect(allAtTud, p(4), P5_DEAD).meanMs, 41.5, 0.01, "led from cern");
  });
});

suite("whom an oracle would elect after p5's death", () => {
  const expected: [name: string, oracle: OracleName, leaders: number[]][] = [
    ["3dc", "history", [4]],
    ["3dc", "rotating", [1]],
    ["3dc", "request", [1]],
    ["3dc", "consensus", [3, 4]],
    ["3dc", "latency", [3]],
    ["3dc", "worst-case", [3]],
    ["3dc-2", "latency", [4]],
    ["3dc-2", "worst-case", [4]],
    ["3dc-3", "consensus", [3, 4]],
    ["3dc-3", "latency", [4]],
    ["3dc-3", "worst-case", [4]],
  ];
  for (const [name, oracle, leaders] of expected) {
    test(`${name}, ${oracle}: ${leaders.map((leader) => `p${leader}`).join(" or ")}`, () => {
      const found = choice(paper(name), oracle, P5_DEAD);
      const tied = found?.tied.filter((server) => leaders.includes(server));
      assert.ok(found !== null && leaders.includes(found.leader), `elected p${found?.leader}`);
      assert.deepEqual(tied, leaders);
    });
  }

  test("all load at fnal: request picks p1; the fastest is p1 in one deployment, p4 in the other", () => {
    for (const [name, fastest] of [
      ["3dc", 1],
      ["3dc-2", 4],
    ] as const) {
      const topology = shared(paper(name), "fnal", 1);
      assert.equal(choice(topology, "request", P5_DEAD)?.leader, p(1));
      assert.equal(choice(topology, "latency", P5_DEAD)?.leader, p(fastest));
    }
  });

  test("without a quorum nobody can lead", () => {
    const dead = [p(3), p(4), p(5)];
    assert.equal(choice(paper("3dc"), "latency", dead), null);
    assert.deepEqual(prospects(paper("3dc"), dead), []);
  });

  test("clients of a site whose servers are all gone pay the way to the nearest that has one", () => {
    const found = prospect(paper("3dc"), p(3), [p(4), p(5)]);
    near(found.sites.get("caltech") ?? 0, 53.26 + 9.88, 0.01, "caltech by way of slac");
  });
});

function shared(topology: Topology, at: string, share: number): Topology {
  const others = [...topology.sites.keys()].filter((name) => name !== at);
  const rest = others.map((name): [string, number] => [name, (1 - share) / others.length]);
  return withLoad(topology, new Map([[at, share], ...rest]));
}
