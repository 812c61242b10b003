// What the paper says of scores and oracles in sections 2, 3.3, 4 and 5, with its deployments and their
// arithmetic.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ensemble, type ServerId } from "../core/identity.ts";
import { round } from "../core/score.ts";
import { type Duration, milliseconds } from "../core/time.ts";
import { epoch, type Zxid, zxid } from "../core/zxid.ts";
import { type OracleName, oracles } from "./catalog.ts";
import type { HeartbeatOutput } from "./heartbeat-message.ts";
import type { Oracle, View } from "./oracle.ts";
import { moreIsBetter } from "./order.ts";
import { Vectors } from "./vectors.ts";

const servers = ensemble([1, 2, 3, 4, 5]);
const [p1, p2, p3, p4, p5] = servers as [ServerId, ServerId, ServerId, ServerId, ServerId];
const last: Zxid = zxid(epoch(3), 1000);

/** Table 2, ms. */
const RTT = { "slac caltech": 9.88, "tud cern": 20.75, "slac fnal": 53.26, "caltech fnal": 77.06 };

type Site = "slac" | "caltech" | "fnal" | "tud" | "cern";
/** The sites of D1, D2, D3 (Table 3), and which server is in which (Fig. 4a, Fig. 5). */
interface Deployment {
  readonly sites: readonly Site[];
  readonly of: ReadonlyMap<ServerId, number>;
}

const three = new Map([
  [p1, 3],
  [p2, 2],
  [p3, 2],
  [p4, 1],
  [p5, 1],
] as const);
const two = new Map([
  [p1, 1],
  [p2, 2],
  [p3, 1],
  [p4, 2],
  [p5, 2],
] as const);
const deployment1: Deployment = { sites: ["caltech", "slac", "fnal"], of: three };
const deployment2: Deployment = { sites: ["slac", "caltech", "fnal"], of: three };
const deployment3: Deployment = { sites: ["slac", "fnal", "caltech"], of: three };
const twoCenters: Deployment = { sites: ["tud", "cern"], of: two };

/** Requests per second that arrive in D1, D2, D3. */
type Load = readonly number[];
const even: Load = [1000 / 3, 1000 / 3, 1000 / 3];
const fig7b = (p: number): Load => [500 * (1 - p), 500 * (1 - p), 1000 * p];
const fig7c = (p: number): Load => [500 * (1 - p), 1000 * p, 500 * (1 - p)];

function rtt({ sites, of }: Deployment, a: ServerId, b: ServerId): Duration {
  const [from, to] = [sites[(of.get(a) ?? 0) - 1], sites[(of.get(b) ?? 0) - 1]];
  if (from === to) return milliseconds(0);
  const found = Object.entries(RTT).find(([pair]) => pair === `${from} ${to}` || pair === `${to} ${from}`);
  assert.ok(found, `no round trip from ${from} to ${to}`);
  return milliseconds(found[1]);
}

/**
 * What the heartbeats of `self` have told it, all five alive; load goes evenly to the live servers of a data
 * center.
 */
function vectors(
  deployment: Deployment,
  load: Load,
  self: ServerId,
  dead: readonly ServerId[] = [],
): Vectors {
  const view = new Vectors(self, servers);
  const alive = servers.filter((server) => !dead.includes(server));
  for (const server of alive) {
    const center = deployment.of.get(server) ?? 0;
    const sharing = alive.filter((other) => deployment.of.get(other) === center).length;
    const perSecond = (load[center - 1] ?? 0) / sharing;
    if (server === self) view.observeOwnRate(perSecond);
    else {
      const told: readonly HeartbeatOutput[] = [
        { kind: "up", server },
        {
          kind: "roundTrip",
          server,
          rtt: rtt(deployment, self, server),
          reach: rtt(deployment, self, server),
        },
        { kind: "rate", server, perSecond },
      ];
      for (const output of told) view.observe(output);
    }
  }
  return view;
}

const after = (v: Vectors): View => v.view({ lastZxid: last, leader: null });

/** Who scores best among those that live once p5 is dead, and its clients have gone to p4 or to p2. */
function elected(oracle: Oracle, deployment: Deployment, load: Load, inRound = round(2)): ServerId {
  const candidates = servers.slice(0, 4).map((id) => ({
    id,
    score: oracle.score(after(vectors(deployment, load, id, [p5])), inRound),
  }));
  return candidates.reduce((a, b) => (oracle.compare(b.score, a.score) >= 0 ? b : a)).id;
}

const create = (name: OracleName): Oracle => oracles[name].create({ preference: [] });
const explain = (name: OracleName, deployment: Deployment, load: Load, leader: ServerId) =>
  create(name).explain(after(vectors(deployment, load, leader, [p5])), round(2));
const near = (actual: number | undefined, expected: number, tolerance: number, what: string) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= tolerance, `${what}: ${actual}, not ${expected}`);

suite("theta_c, theta_l and theta_w of every leader (Fig. 6, even load, p5 dead)", () => {
  const table: readonly [string, Deployment, ServerId, number, number, number][] = [
    ["Deployment 1", deployment1, p1, 53.26, 96.7, 130.32],
    ["Deployment 1", deployment1, p3, 9.88, 30.93, 63.14],
    ["Deployment 1", deployment1, p4, 9.88, 38.86, 86.94],
    ["Deployment 2", deployment2, p1, 77.06, 120.5, 154.12],
    ["Deployment 2", deployment2, p3, 9.88, 38.86, 86.94],
    ["Deployment 2", deployment2, p4, 9.88, 30.93, 63.14],
    ["Deployment 3", deployment3, p1, 77.06, 106.04, 154.12],
    ["Deployment 3", deployment3, p3, 53.26, 96.7, 130.32],
    ["Deployment 3", deployment3, p4, 53.26, 74.31, 106.52],
  ];
  for (const [name, deployment, leader, consensus, mean, worst] of table) {
    test(`${name}, p${leader}: ${consensus}, ${mean} and ${worst} ms`, () => {
      near(explain("consensus", deployment, even, leader)["consensusMs"], consensus, 0.01, "theta_c");
      near(explain("latency", deployment, even, leader)["meanMs"], mean, 0.01, "theta_l");
      near(explain("worst-case", deployment, even, leader)["worstMs"], worst, 0.01, "theta_w");
    });
  }
});

suite("theta_l as the load moves to one data center (Fig. 7b, 7c)", () => {
  const shares = [0, 0.25, 0.5, 0.75, 1];
  const table: readonly [string, Deployment, (p: number) => Load, ServerId, readonly number[]][] = [
    ["Deployment 1", deployment1, fig7b, p1, [118.4, 102.1, 85.8, 69.5, 53.3]],
    ["Deployment 1", deployment1, fig7b, p3, [14.8, 26.9, 39.0, 51.1, 63.1]],
    ["Deployment 1", deployment1, fig7b, p4, [14.8, 32.9, 50.9, 68.9, 86.9]],
    ["Deployment 3", deployment3, fig7c, p1, [82.0, 100.0, 118.1, 136.1, 154.1]],
    ["Deployment 3", deployment3, fig7c, p3, [118.4, 102.1, 85.8, 69.5, 53.3]],
    ["Deployment 3", deployment3, fig7c, p4, [58.2, 70.3, 82.4, 94.4, 106.5]],
  ];
  for (const [name, deployment, load, leader, means] of table) {
    test(`${name}, p${leader}: ${means.join(", ")} ms`, () => {
      for (const [index, p] of shares.entries()) {
        // The table is rounded to 0.1 ms.
        const { meanMs } = explain("latency", deployment, load(p), leader);
        near(meanMs, means[index] ?? 0, 0.0501, `p = ${p}`);
      }
    });
  }
});

suite("who is elected after p5's death", () => {
  type Case = readonly [OracleName, string, Deployment, Load, ServerId];
  const cases: readonly Case[] = [
    // 4.2: synchronized servers have the same theta_z, so the highest id; rotating: the next id modulo N.
    ...[deployment1, deployment2, deployment3, twoCenters].flatMap((deployment): Case[] => [
      ["history", deployment.sites.join(" "), deployment, even, p4],
      ["rotating", deployment.sites.join(" "), deployment, even, p1],
    ]),
    // 4.2: consensus may elect p3 or p4, theta_c being the same; without noise the id decides.
    ["consensus", "Deployment 1", deployment1, even, p4],
    ["consensus", "Deployment 2", deployment2, even, p4],
    // 53.26 ms for the servers of fnal and of slac alike.
    ["consensus", "Deployment 3", deployment3, even, p4],
    // 4.2: worst-case elects p3 in Deployment 1 and p4 in Deployment 2.
    ["worst-case", "Deployment 1", deployment1, even, p3],
    ["worst-case", "Deployment 2", deployment2, even, p4],
    ["worst-case", "Deployment 3", deployment3, even, p4],
    // Table of Fig. 6: the least mean.
    ["latency", "Deployment 1", deployment1, even, p3],
    ["latency", "Deployment 2", deployment2, even, p4],
    ["latency", "Deployment 3", deployment3, even, p4],
    // 4.3: all requests at D3; the fastest is p1 in Deployment 1 and p4 in Deployment 2, request elects p1 in
    // both.
    ["latency", "Deployment 1, all at fnal", deployment1, fig7b(1), p1],
    ["latency", "Deployment 2, all at fnal", deployment2, fig7b(1), p4],
    ["request", "Deployment 1, all at fnal", deployment1, fig7b(1), p1],
    ["request", "Deployment 2, all at fnal", deployment2, fig7b(1), p1],
    // Fig. 7c, p = 1.
    ["latency", "Deployment 3, all at fnal", deployment3, fig7c(1), p3],
    ["consensus", "Deployment 3, all at fnal", deployment3, fig7c(1), p4],
    // 4.3: two data centers.
    ["request", "two data centers, all at tud", twoCenters, [1000, 0], p3],
    ["latency", "two data centers, all at tud", twoCenters, [1000, 0], p3],
    ["request", "two data centers, all at cern", twoCenters, [0, 1000], p4],
    ["latency", "two data centers, all at cern", twoCenters, [0, 1000], p4],
    ["consensus", "two data centers, all at tud", twoCenters, [1000, 0], p4],
    ["worst-case", "two data centers, all at tud", twoCenters, [1000, 0], p4],
  ];
  for (const [name, where, deployment, load, leader] of cases) {
    test(`${name} elects p${leader}: ${where}`, () => {
      assert.equal(elected(create(name), deployment, load), leader);
    });
  }
});

// 2.2, Fig. 1
test("of three servers the one that is alone in its data center may serve best, far from its quorum", () => {
  const trio = ensemble([1, 2, 3]);
  const at = (self: ServerId, distances: readonly number[], rates: readonly number[]): View => ({
    self,
    servers: trio,
    roundTrips: new Map(trio.map((server, index) => [server, milliseconds(distances[index] ?? 0)])),
    requestRates: new Map(trio.map((server, index) => [server, rates[index] ?? 0])),
    unmeasured: [],
    lastZxid: last,
    reports: new Map(),
    lastLeader: null,
    departed: null,
  });
  const rates = [1, 1, 998];
  const near1 = at(p1, [0, 1, 30], rates);
  const far = at(p3, [30, 30, 0], rates);
  const [consensus, latency] = [create("consensus"), create("latency")];
  assert.ok(consensus.compare(consensus.score(near1, round(1)), consensus.score(far, round(1))) > 0);
  // theta_l: p1 has 1 ms and then almost all comes from 30 ms away; p3 has 30 ms and almost all is there.
  near(latency.explain(near1, round(1))["meanMs"], 30.941, 0.001, "p1");
  near(latency.explain(far, round(1))["meanMs"], 30.06, 0.001, "p3");
});

// 2.2 and 3.3
test("N' holds no server suspected to be crashed, and not the leader that is followed", () => {
  const view = vectors(deployment1, even, p4);
  view.observe({ kind: "down", server: p1, silent: false, reason: "" });
  assert.deepEqual([...view.view({ lastZxid: last, leader: p5 }).roundTrips.keys()], [p2, p3, p4]);
});

// 5
test("before a resignation the actual leader is in the vectors", () => {
  const view = vectors(deployment1, even, p4);
  const { roundTrips } = view.view({ lastZxid: last, leader: p5, leaderIn: true });
  assert.deepEqual([...roundTrips.keys()], [...servers]);
});

// 2.3
test("the fattest server has the highest zxid: a later epoch, or a later transaction of the same", () => {
  const history = create("history");
  const score = (lastZxid: Zxid) =>
    history.score({ ...after(vectors(deployment1, even, p1)), lastZxid }, round(1));
  const [older, newer, newest] = [zxid(epoch(2), 900), zxid(epoch(3), 1), zxid(epoch(3), 2)];
  assert.ok(history.compare(score(newer), score(older)) > 0);
  assert.ok(history.compare(score(newest), score(newer)) > 0);
});

// 3.3
test("the leader of the round gives itself a score of 1, all others 0", () => {
  const rotating = create("rotating");
  const scores = (inRound: number) =>
    servers.map((id) => rotating.score(after(vectors(deployment1, even, id)), round(inRound))[0]);
  assert.deepEqual(scores(1), [0, 0, 0, 0, 1]);
  assert.deepEqual(scores(2), [1, 0, 0, 0, 0]);
  assert.deepEqual(scores(6), [0, 0, 0, 0, 1]);
});

// 2
test("of a preference list the first that is left leads, and whoever is not on it comes last", () => {
  const list = oracles.preference.create({ preference: [p5, p2, p3] });
  assert.equal(elected(list, deployment1, even), p2);
  const unlisted = oracles.preference.create({ preference: [] });
  assert.equal(elected(unlisted, deployment1, even), p4);
});

// 5
test("scores can be vectors: the class of latency first, then the longest history", () => {
  const fast = [-10, 3, 7];
  assert.ok(moreIsBetter(fast, [-20, 3, 9]) > 0, "a better class beats a longer history");
  assert.ok(moreIsBetter(fast, [-10, 3, 6]) > 0, "within a class the fatter server wins");
  assert.equal(moreIsBetter(fast, [-10, 3, 7]), 0);
});
