// The oracles that the paper does not have: whom they elect, and why, on maps made for the purpose.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clientId } from "../core/identity.ts";
import { round } from "../core/score.ts";
import { instant, microseconds, milliseconds, seconds } from "../core/time.ts";
import { epoch, zxid } from "../core/zxid.ts";
import { electedOf, LAST, type OracleMap, seenBy } from "../testing/oracle/map.ts";
import { createOracle } from "./catalog.ts";
import { composite } from "./composite.ts";
import { Demand } from "./demand.ts";
import { hysteresis } from "./hysteresis.ts";
import { latency } from "./latency.ts";
import { byOffer, offeredRates } from "./offered.ts";
import { readCriteria, readHysteresis, readSites, readStruck } from "./options.ts";
import { carried, recovery, stagesOf } from "./recovery.ts";
import { relocatedLatency, relocatedWorstCase } from "./relocated.ts";
import { request } from "./request.ts";
import { site } from "./site.ts";

const sentence = (read: unknown): string => (typeof read === "string" ? read : "it was taken");

/** From sites, their servers in order, and the ways between sites; within one 0.2 ms. */
function mapOf(at: readonly number[], ways: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return at.map((a, i) => at.map((b, j) => (i === j ? 0 : a === b ? 0.2 : (ways[a]?.[b] ?? 0))));
}

describe("clients are counted where they will be", () => {
  // p5 leads and dies; most of the load is its own clients', and p4 stands beside it.
  const west: OracleMap = {
    distances: mapOf(
      [0, 1, 1, 2, 2],
      [
        [0, 20, 60],
        [20, 0, 45],
        [60, 45, 0],
      ],
    ),
    rates: [100, 50, 50, 50, 750],
    dead: [5],
    leader: 5,
  };

  test("those of the dead leader go to the server beside it, and so does the mean", () => {
    assert.equal(electedOf(latency, west), 3, "without them the load is in the middle");
    assert.equal(electedOf(relocatedLatency, west), 4);
    const { meanMs, consensusMs } = relocatedLatency.explain(seenBy(4, west), round(2));
    assert.equal(consensusMs, 45);
    assert.ok(Math.abs((meanMs ?? 0) - (45 + 0.1 * 60 + 0.1 * 45)) < 0.2, `${meanMs}`);
  });

  test("where it was alone at its site they come from there to the nearest", () => {
    const lone: OracleMap = {
      distances: mapOf(
        [0, 0, 1, 1, 2],
        [
          [0, 30, 80],
          [30, 0, 40],
          [80, 40, 0],
        ],
      ),
      rates: [100, 100, 100, 100, 600],
      dead: [5],
      leader: 5,
    };
    const [near, far] = [3, 1].map((server) => relocatedLatency.cost(seenBy(server, lone)) ?? 0);
    assert.ok(near !== undefined && far !== undefined && near < far);
    const { forwardingMs } = relocatedLatency.explain(seenBy(3, lone), round(2));
    assert.ok(Math.abs((forwardingMs ?? 0) - (0.2 * 30 + 0.6 * 40)) < 0.3, `${forwardingMs}`);
    assert.ok((relocatedWorstCase.explain(seenBy(3, lone), round(2))["farthestMs"] ?? 0) >= 40);
  });

  test("with nobody gone it is the paper's", () => {
    const calm: OracleMap = { distances: west.distances, rates: [100, 50, 50, 50, 750] };
    for (const server of [1, 2, 3, 4, 5])
      assert.deepEqual(relocatedLatency.cost(seenBy(server, calm)), latency.cost(seenBy(server, calm)));
  });
});

describe("how long until a candidate serves", () => {
  // Figure 8b: p5 of d1 is dead, p2 and p3 of d2 lack the state, p1 of d3 is nearer to them than p4 of d1.
  const figure8b = (megabytes: number): OracleMap => ({
    distances: mapOf(
      [2, 1, 1, 0, 0],
      [
        [0, 77.06, 9.88],
        [77.06, 0, 20.75],
        [9.88, 20.75, 0],
      ],
    ),
    dead: [5],
    leader: 5,
    reports: Object.fromEntries(
      [1, 2, 3, 4].map((server) => [
        server,
        server === 2 || server === 3
          ? { lastZxid: zxid(epoch(2), 5) }
          : { base: zxid(epoch(3), 9000), stateBytes: megabytes * 1e6, transactionBytes: 1100 },
      ]),
    ),
  });

  test("in Figure 8b it is sooner near the outdated servers, whatever the size", () => {
    for (const megabytes of [0, 1, 20, 50, 100, 250]) {
      const map = figure8b(megabytes);
      const [near, far] = [1, 4].map((server) => recovery.cost(seenBy(server, map)) ?? 0);
      assert.ok(near !== undefined && far !== undefined && near < far, `${megabytes} MB: ${near} ${far}`);
      assert.notEqual(electedOf(recovery, map), 4);
    }
  });

  test("what it would have to pull first counts against it", () => {
    const map: OracleMap = {
      distances: mapOf(
        [0, 0, 1],
        [
          [0, 10],
          [10, 0],
        ],
      ),
      reports: {
        1: { lastZxid: zxid(epoch(3), 100), base: zxid(epoch(3), 0) },
        2: { base: zxid(epoch(3), 0), transactionBytes: 1000 },
        3: { base: zxid(epoch(3), 0), transactionBytes: 1000 },
      },
    };
    const stages = stagesOf(seenBy(1, map));
    assert.ok((stages?.pull ?? 0) > milliseconds(80), "9,900 transactions of 1 kB over a gigabit");
    assert.equal(stagesOf(seenBy(2, map))?.pull, 0);
    assert.equal(electedOf(recovery, map), 2);
  });

  test("bytes take as long as TCP needs to open its window, then as long as the card", () => {
    const way = milliseconds(20);
    assert.ok(carried(14_480, way) < 200, "ten segments travel at once");
    assert.ok(carried(30_000, way) > way && carried(30_000, way) < 2 * way);
    const [some, twice] = [carried(50e6, way), carried(100e6, way)];
    assert.ok(Math.abs(twice - some - 50e6 / 117.5) < 1e3, "then 117.5 MB a second");
    const far = milliseconds(200);
    const perSecond = 50e6 / ((carried(100e6, far) - carried(50e6, far)) / 1e6);
    assert.ok(Math.abs(perSecond - (3 * 2 ** 20) / 0.2) < 1e3, "3 MiB a round trip");
  });

  test("who reaches no quorum never serves", () => {
    const map: OracleMap = {
      distances: mapOf(
        [0, 1, 1],
        [
          [0, 10],
          [10, 0],
        ],
      ),
      dead: [2, 3],
    };
    assert.equal(recovery.cost(seenBy(1, map)), null);
  });
});

describe("several oracles at once", () => {
  // p1, p2 near each other; p3 has the least latency, p2 nearly, and p3's history is behind.
  const map: OracleMap = {
    distances: [
      [0, 10, 30],
      [10, 0, 10.2],
      [30, 10.2, 0],
    ],
    rates: [0, 480, 520],
    reports: {
      1: { base: zxid(epoch(3), 0), transactionBytes: 1000 },
      2: { base: zxid(epoch(3), 0), transactionBytes: 1000 },
      3: { base: zxid(epoch(3), 0), lastZxid: zxid(epoch(3), 5000), transactionBytes: 1000 },
    },
  };

  test("in turn: of those within the tolerance of the best, the best by the next", () => {
    assert.equal(electedOf(latency, map), 3);
    const criteria = readCriteria("latency:5%,recovery");
    assert.ok(typeof criteria !== "string");
    assert.equal(electedOf(composite(criteria), map), 2);
    const strict = readCriteria("latency:0.1%,recovery");
    assert.ok(typeof strict !== "string");
    assert.equal(electedOf(composite(strict), map), 3, "p2 is 0.3 % worse");
  });

  test("weighed: the least sum", () => {
    const [all, none] = [readCriteria("latency:1,recovery:0"), readCriteria("latency:0,recovery:1")];
    assert.ok(typeof all !== "string" && typeof none !== "string");
    assert.equal(electedOf(composite(all), map), 3);
    assert.equal(electedOf(composite(none), map), 2);
  });

  test("what nobody could mean is refused with what would be right", () => {
    assert.match(sentence(readCriteria("lateny:5%")), /"lateny" is none of consensus, latency/);
    assert.match(sentence(readCriteria("latency:5%,recovery:0.3")), /no tolerance such as 5%/);
    assert.match(sentence(readSites("tud")), /such as tud=1\+3/);
    assert.match(sentence(readStruck("p2")), /such as 2,5/);
    assert.match(sentence(readHysteresis("latency:ten")), /as in latency:10%:5s/);
  });
});

describe("an operator's sites", () => {
  const distances = mapOf(
    [0, 1, 1, 2, 2],
    [
      [0, 5, 60],
      [5, 0, 60],
      [60, 60, 0],
    ],
  );
  const ranked = readSites("west=4+5,east=1");
  const sites = typeof ranked === "string" ? [] : ranked;

  test("lead in their order, and within one the better server", () => {
    assert.equal(electedOf(site(sites, []), { distances, rates: [0, 0, 0, 10, 90] }), 5);
    assert.equal(electedOf(site(sites, []), { distances, rates: [0, 0, 0, 90, 10] }), 4);
    assert.equal(electedOf(site(sites, []), { distances, dead: [4, 5] }), 1);
    assert.ok(
      [2, 3].includes(
        electedOf(site(sites, []), { distances, dead: [1, 4], rates: [0, 0, 0, 0, 0] }) === 5 ? 2 : 0,
      ),
    );
  });

  test("who is struck out leads only where nobody else can", () => {
    const struck = [4, 5].map((id) => id as never);
    assert.equal(electedOf(site(sites, struck), { distances }), 1);
    assert.ok(
      [4, 5].includes(
        electedOf(
          site(
            sites,
            [1, 2, 3, 4, 5].map((id) => id as never),
          ),
          { distances },
        ),
      ),
    );
  });

  test("a better site is worth any margin, and within one the time counts", () => {
    const oracle = site(sites, []);
    const [p1, p4, p5] = [1, 4, 5].map((id) =>
      oracle.score(seenBy(id, { distances, rates: [0, 0, 0, 0, 100] }), round(1)),
    );
    assert.ok(p1 && p4 && p5);
    assert.equal(oracle.advantage?.(p4, p1), 1);
    assert.equal(oracle.advantage?.(p1, p4), -1);
    const within = oracle.advantage?.(p5, p4) ?? 0;
    assert.ok(within > 0 && within < 0.1);
  });
});

describe("against flapping", () => {
  const distances = [
    [0, 10, 10.5],
    [10, 0, 12],
    [10.5, 12, 0],
  ];
  const held = hysteresis({ of: "consensus", margin: 0.1, steady: seconds(5) });

  test("who led last stays the best until it is beaten by the margin", () => {
    assert.equal(electedOf(held, { distances, leader: 3 }), 3, "10.5 against 10 ms");
    assert.equal(
      electedOf(held, {
        distances: [
          [0, 9, 10.5],
          [9, 0, 12],
          [10.5, 12, 0],
        ],
        leader: 3,
      }),
      2,
    );
  });

  test("who has just come back leads only where all have", () => {
    const back = { awake: seconds(1) };
    assert.equal(electedOf(held, { distances, reports: { 1: back, 2: back } }), 3);
    assert.equal(electedOf(held, { distances, reports: { 1: back, 2: back, 3: back } }), 2);
  });
});

describe("what clients offer", () => {
  test("a client that waits for each answer offers the same wherever its leader is", () => {
    const offered = (waitMs: number) => {
      const demand = new Demand();
      let now = 0;
      for (; now < 30e6; ) {
        demand.asked(clientId(1), instant(now));
        now += waitMs * 1e3;
        demand.answered(clientId(1), instant(now));
        now += 5e3;
      }
      return { offer: demand.offer(instant(now)), writeLatency: demand.writeLatency(instant(now)) };
    };
    const [near, far] = [offered(10), offered(90)];
    for (const { offer } of [near, far]) {
      assert.ok(Math.abs(offer.clients - 1) < 0.05, `${offer.clients}`);
      assert.ok(Math.abs(offer.think - 5e3) < 100);
    }
    assert.ok(Math.abs(far.writeLatency - 90e3) < 2e3, `${far.writeLatency}`);
    const map: OracleMap = {
      distances: [
        [0, 80],
        [80, 0],
      ],
      rates: [66, 10.5],
      reports: { 1: near, 2: far },
    };
    const rates = offeredRates(seenBy(1, map));
    const [mine, theirs] = [...rates.values()];
    assert.ok(
      mine !== undefined && theirs !== undefined && Math.abs(mine - theirs) < 0.1 * mine,
      `${mine} ${theirs}`,
    );
  });

  test("so a leader among few clients does not seem to be among many", () => {
    const offer = (clients: number) => ({ offer: { openPerSecond: 0, clients, think: microseconds(0) } });
    // Ten clients at p1, which leads and answers at once; thirty at p3, which wait for 50 ms.
    const map: OracleMap = {
      distances: mapOf(
        [0, 0, 1, 1],
        [
          [0, 50],
          [50, 0],
        ],
      ),
      rates: [5000, 0, 600, 0],
      reports: {
        1: { ...offer(10), writeLatency: milliseconds(2) },
        3: { ...offer(30), writeLatency: milliseconds(50) },
      },
    };
    assert.equal(electedOf(request, map), 1);
    assert.equal(electedOf(byOffer(request), map), 3);
    assert.equal(
      createOracle("request", { preference: [], requests: "offered" }).score(seenBy(3, map), round(1)).length,
      1,
    );
  });

  test("who asks at a pace of its own counts with that pace", () => {
    const demand = new Demand();
    for (let now = 0; now < 20e6; now += 10e3) {
      demand.asked(clientId(1), instant(now));
      if (now >= 50e3) demand.answered(clientId(1), instant(now + 1));
    }
    const { openPerSecond, clients } = demand.offer(instant(20e6));
    assert.ok(Math.abs(openPerSecond - 100) < 3, `${openPerSecond}`);
    assert.equal(clients, 0);
  });
});

test("a history that ends as all others do lacks nothing", () => {
  const map: OracleMap = {
    distances: [
      [0, 10, 10],
      [10, 0, 10],
      [10, 10, 0],
    ],
    reports: { 1: { lastZxid: LAST } },
  };
  const { pullMs, levelMs, recoveryMs } = recovery.explain(seenBy(1, map), round(1));
  assert.deepEqual([pullMs, levelMs, recoveryMs], [0, 10, 30]);
});
