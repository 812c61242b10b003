// What an oracle answers where the paper is silent, and that every oracle's order is one.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { ensemble, type ServerId } from "../core/identity.ts";
import { round, type Score } from "../core/score.ts";
import { instant, microseconds, milliseconds, seconds } from "../core/time.ts";
import { ZERO } from "../core/zxid.ts";
import { type OracleName, oracles } from "./catalog.ts";
import { judge } from "./judge.ts";
import { Meter } from "./meter.ts";
import type { View } from "./oracle.ts";
import { lessIsBetter, moreIsBetter, NONE } from "./order.ts";
import { NO_REPORT } from "./report.ts";
import { stated } from "./preference.ts";
import { Vectors } from "./vectors.ts";

const servers = ensemble([1, 2, 3]);
const [p1, p2, p3] = servers as [ServerId, ServerId, ServerId];
const catalog = Object.entries(oracles).map(
  ([name, entry]) => [name as OracleName, entry.create({ preference: [p2] })] as const,
);

const blind: readonly OracleName[] = ["history", "request", "rotating", "preference"];
const ofDistances = (name: OracleName): boolean => !blind.includes(name);

/** p1, and those it has measured. */
const view = (distances: ReadonlyMap<ServerId, number>, unmeasured: readonly ServerId[] = []): View => ({
  self: p1,
  servers,
  roundTrips: new Map([...distances].map(([server, ms]) => [server, milliseconds(ms)])),
  requestRates: new Map([...distances].map(([server]) => [server, 0])),
  unmeasured,
  lastZxid: ZERO,
  reports: new Map([...distances.keys()].map((server) => [server, NO_REPORT])),
  lastLeader: null,
  departed: null,
});
const alone = view(new Map([[p1, 0]]));
const whole = view(
  new Map([
    [p1, 0],
    [p2, 10],
    [p3, 40],
  ] as const),
);

test("a server that reaches no quorum is the worst leader, and says so with an empty score", () => {
  for (const [name, oracle] of catalog.filter((one) => ofDistances(one[0]))) {
    assert.deepEqual(oracle.score(alone, round(1)), NONE);
    assert.ok(oracle.compare(NONE, [1e12]) < 0, name);
    assert.equal(oracle.compare(NONE, NONE), 0);
  }
});

test("oracles of distances wait for a quorum, and for everybody who is there", () => {
  for (const [name, oracle] of catalog) {
    const measures = ofDistances(name);
    const two = new Map([
      [p1, 0],
      [p2, 10],
    ] as const);
    assert.equal(oracle.ready(alone), !measures, name);
    assert.equal(oracle.ready(view(two, [p3])), !measures, name);
    assert.equal(oracle.ready(view(two)), true, name);
  }
});

test("without requests the latency oracle takes all servers to get equally many", () => {
  // theta_c 10 ms, forwarding (0 + 10 + 40) / 3 ms.
  assert.deepEqual(oracles.latency.create().score(whole, round(1)), [10_000 + 16_667]);
});

suite("the order of every oracle is total", () => {
  const score = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 3 });
  for (const compare of [moreIsBetter, lessIsBetter]) {
    test(compare.name, () => {
      fc.assert(
        fc.property(score, score, score, (a: Score, b: Score, c: Score) => {
          assert.equal(Math.sign(compare(a, b)), -Math.sign(compare(b, a)) + 0 || 0);
          assert.equal(compare(a, b) === 0, a.length === b.length && a.every((x, i) => x === b[i]));
          if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.ok(compare(a, c) <= 0);
        }),
      );
    });
  }
});

test("every oracle explains itself with numbers, and names their units", () => {
  for (const [name, oracle] of catalog) {
    for (const [key, value] of Object.entries(oracle.explain(whole, round(3)))) {
      assert.match(
        key,
        /Ms$|PerSecond$|^(epoch|counter|round|leaderOfRound|placeOnList|placeOfSite|struck|justBack)$/,
        name,
      );
      assert.ok(Number.isFinite(value), `${name}: ${key}`);
    }
    assert.ok(Object.values(oracle.explain(alone, round(3))).every(Number.isFinite), name);
  }
});

test("a judge asks the oracle about what its server sees at that moment", () => {
  let distance = 10;
  const look = () =>
    view(
      new Map([
        [p1, 0],
        [p2, distance],
      ] as const),
    );
  const judged = judge(oracles.consensus.create(), look);
  assert.deepEqual(judged.score(round(1), instant(0)), [10_000]);
  distance = 25;
  assert.deepEqual(judged.score(round(1), instant(0)), [25_000]);
  assert.deepEqual(judged.explain(round(1), instant(0)), { consensusMs: 25 });
  assert.equal(judged.ready(instant(0)), true);
});

test("a score that is no number stops the server: with it nobody would agree who is best", () => {
  const broken = { ...oracles.history.create(), score: () => [Number.NaN] };
  assert.throws(() => judge(broken, () => whole).score(round(1), instant(0)), /not a number/);
});

test("vectors: a server counts from its first round trip until it is down", () => {
  const vectors = new Vectors(p1, servers);
  const seen = () => {
    const { roundTrips, unmeasured } = vectors.view({ lastZxid: ZERO, leader: null });
    return { measured: [...roundTrips.keys()], unmeasured };
  };
  assert.deepEqual(seen(), { measured: [p1], unmeasured: [] });
  vectors.observe({ kind: "up", server: p3 });
  assert.deepEqual(seen(), { measured: [p1], unmeasured: [p3] });
  vectors.observe({ kind: "roundTrip", server: p3, rtt: milliseconds(5), reach: milliseconds(10) });
  assert.deepEqual(seen(), { measured: [p1, p3], unmeasured: [] });
  vectors.observe({ kind: "down", server: p3, silent: true, reason: "" });
  assert.deepEqual(seen(), { measured: [p1], unmeasured: [] });
  vectors.observe({ kind: "up", server: p3 });
  assert.deepEqual(seen(), { measured: [p1], unmeasured: [p3] }, "its old distance is forgotten");
});

test("vectors: who comes back has no requests until it says so", () => {
  const vectors = new Vectors(p1, servers);
  const up = () => {
    vectors.observe({ kind: "up", server: p3 });
    vectors.observe({ kind: "roundTrip", server: p3, rtt: milliseconds(5), reach: milliseconds(10) });
  };
  up();
  vectors.observe({ kind: "rate", server: p3, perSecond: 40 });
  vectors.observeOwnRate(20);
  const rates = () => [...vectors.view({ lastZxid: ZERO, leader: null }).requestRates.values()];
  assert.deepEqual(rates(), [20, 40]);
  vectors.observe({ kind: "down", server: p3, silent: false, reason: "" });
  up();
  assert.deepEqual(rates(), [20, 0]);
});

test("vectors: the leader leaves only others' views out, never its own", () => {
  const vectors = new Vectors(p1, servers);
  assert.deepEqual([...vectors.view({ lastZxid: ZERO, leader: p1 }).roundTrips.keys()], [p1]);
});

test("a meter tells the rate of its window, which slides", () => {
  const meter = new Meter(seconds(10));
  for (let ms = 0; ms < 20_000; ms += 10) meter.count(instant(ms * 1e3));
  assert.equal(Math.round(meter.perSecond(instant(20e6))), 100);
  // Of the nine whole seconds in the window, four had requests.
  assert.equal(Math.round(meter.perSecond(instant(25e6))), 44);
  assert.equal(meter.perSecond(instant(31e6)), 0);
});

test("a meter does not take its first request for a million a second", () => {
  const meter = new Meter(seconds(10));
  meter.count(instant(7_000_000));
  assert.equal(meter.perSecond(instant(7_000_001)), 1);
});

test("a meter counts what it is told in one go, and survives a long sleep", () => {
  const meter = new Meter(seconds(10));
  meter.count(instant(0), 500);
  assert.equal(meter.perSecond(instant(microseconds(5e6))), 100);
  assert.equal(meter.perSecond(instant(1e12)), 0);
});

test("who is stated to lead first is waited for, until it is there", () => {
  const vectors = new Vectors(p1, servers);
  const isReady = () => stated([p3]).ready(vectors.view({ lastZxid: ZERO, leader: null }));
  vectors.observe({ kind: "up", server: p2 });
  assert.equal(isReady(), false);
  vectors.observe({ kind: "up", server: p3 });
  assert.equal(isReady(), true);
  assert.equal(stated([p1]).ready(vectors.view({ lastZxid: ZERO, leader: null })), true);
});
