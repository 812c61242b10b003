// lane: works, 6 s
// Advice for maps small enough to think through, and its best held against whole servers in virtual time.
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { choice, prospects } from "../topology/model.ts";
import { loadTopology, parseTopology, type Topology, withLoad } from "../topology/topology.ts";
import { advise } from "./advise.ts";
import { check } from "./check.ts";
import { configurations } from "./configuration.ts";
import { evaluate } from "./evaluate.ts";
import { placed, placementsOf } from "./placements.ts";
import type { AdviceQuestion } from "./question.ts";

/** In a row: b in the middle of a and c, d far beyond c. */
const ROW = withLoad(
  parseTopology(
    `sites: { a: , b: , c: , d: }
lan: { rtt: 0us }
links:
  - { between: [a, b], rtt: 10ms }
  - { between: [b, c], rtt: 10ms }
  - { between: [a, c], rtt: 20ms }
  - { between: [c, d], rtt: 80ms }
  - { between: [b, d], rtt: 90ms }
  - { between: [a, d], rtt: 100ms }
`,
    "row.yaml",
  ),
  new Map([
    ["a", 2],
    ["b", 1],
    ["c", 1],
    ["d", 1],
  ]),
);
const THREE: AdviceQuestion = { servers: 3, goal: "mean", lose: "server", most: 1 };
const adviceFor = (
  topology: Topology,
  question: AdviceQuestion,
  today: Parameters<typeof advise>[3] = null,
) => {
  const found = advise(
    topology,
    question,
    placementsOf([...topology.sites.keys()], question.servers, question.most),
    today,
  );
  assert.ok(found);
  return found;
};

suite("three servers on a row of four sites", () => {
  test("stand where most clients are, led from the middle", () => {
    const { best, advised, order } = adviceFor(ROW, THREE);
    assert.deepEqual(best.placement, ["a", "b", "c"]);
    assert.equal(advised.rule, "latency", "which finds by itself what a list would have to say");
    assert.deepEqual(order.slice(0, 1), [2]);
    // To b from a, b, c 10, 0, 10 and a quorum's 10; clients beside their server take 0.1, those of d 80 +
    // 10.
    assert.ok(Math.abs(advised.meanMs - (2 * 20 + 10 + 20 + 100) / 5) < 1e-9, `${advised.meanMs}`);
    assert.equal(advised.worstMs, 100);
  });

  test("what there is now is told beside it, whoever leads there or under the leader that was named", () => {
    const today = { placement: ["a", "c", "d"], leaderAt: "d" };
    const { now } = adviceFor(ROW, THREE, today);
    // d leads: the quorum's 80, and 100 from a and 80 from c; b's clients use a, ten away.
    assert.ok(now && Math.abs(now.outlook.meanMs - (80 + (2 * 100 + 110 + 80 + 0) / 5)) < 1e-9);
    const anybody = adviceFor(ROW, THREE, { ...today, leaderAt: null }).now;
    assert.ok(anybody && anybody.outlook.leader === null && anybody.outlook.meanMs < now.outlook.meanMs);
  });

  test("when the site of the leader grows far, another placement is told", () => {
    const { strains, sureness } = adviceFor(ROW, THREE);
    const names = strains.map(({ what }) => what);
    assert.deepEqual(names.toSorted(), ["a", "a-b", "a-c", "a-d", "b", "b-c", "b-d", "c", "c-d", "d"]);
    const far = strains.find(({ what }) => what === "d");
    // Nothing but the way of d's clients is longer, by forty.
    assert.ok(far && Math.abs(far.valueMs - (2 * 20 + 10 + 20 + 140) / 5) < 1e-9, `${far?.valueMs}`);
    // Others are as good but for what changes; of one placement there is no doubt.
    assert.ok(sureness.draws === 100 && sureness.kept < 100 && sureness.worstMs > 0, `${sureness.kept}`);
    const only = advise(ROW, THREE, [["a", "b", "c"]], null);
    assert.deepEqual(only?.sureness, { draws: 100, kept: 100, worstMs: 0 });
  });

  test("the loss of a whole site leaves a quorum nowhere when two stand beside each other", () => {
    const question: AdviceQuestion = { ...THREE, lose: "site", most: 2 };
    const { ranking } = adviceFor(ROW, question);
    assert.equal(ranking.length, 4, "of twenty, those with three sites");
    const silent = ranking[0]?.evaluation.best.outageMs ?? 0;
    const told = adviceFor(ROW, { ...THREE, goal: "outage" }).advised.outageMs;
    assert.ok(silent > 200 && told < 100, `${silent} of silence, ${told} where the kernel tells`);
  });
});

test("the model of a placement is that of a topology in which servers stand so", () => {
  const cloud = loadTopology("cloud");
  const { reigns, outlooks } = evaluate(
    placed(cloud, ["dallas", "washington", "frankfurt", "london", "tokyo"]),
    { servers: 5, goal: "mean", lose: "server", most: 1 },
  );
  const offers = prospects(cloud);
  assert.deepEqual(
    reigns.map(({ server, meanMs, consensusMs }) => [server, meanMs, consensusMs]),
    offers.map(({ leader, meanMs, consensusMs }) => [leader, meanMs, consensusMs]),
  );
  for (const rule of ["latency", "consensus", "worst-case", "request"] as const) {
    const found = outlooks.find((one) => one.rule === rule);
    const leader = choice(cloud, rule, [])?.leader ?? serverId(1);
    const next = choice(cloud, rule, [leader])?.leader;
    assert.deepEqual([found?.leader, found?.successor], [leader, next], rule);
    assert.equal(found?.outageMs, prospects(cloud, [leader]).find((one) => one.leader === next)?.outageMs);
  }
});

suite("held against whole servers", () => {
  for (const lose of ["server", "site"] as const)
    test(`the best, and one that is far from it, are as the model says when a ${lose} is lost`, () => {
      const { ranking, question } = adviceFor(ROW, { ...THREE, lose });
      for (const one of [ranking[0], ranking.at(-1)]) {
        assert.ok(one);
        const { topology, best } = one.evaluation;
        const order = [best.leader, best.successor].flatMap((server) => (server === null ? [] : [server]));
        const { differs, simulated } = check(topology, best, order, question.lose, 1);
        assert.deepEqual(differs, [], one.placement.join());
        assert.ok(simulated !== null && Number.isFinite(simulated.outageMs));
      }
    });
});

test("who is as good but for noise may follow: two servers of one site", () => {
  const topology = placed(loadTopology("3dc"), ["caltech", "caltech", "slac", "fnal", "fnal"]);
  const question: AdviceQuestion = { servers: 5, goal: "mean", lose: "server", most: 2 };
  const found = evaluate(topology, question).outlooks.find(({ rule }) => rule === "latency");
  assert.ok(found);
  assert.deepEqual(check(topology, found, [], "server", 1).differs, []);
  assert.match(
    check(
      topology,
      { ...found, rule: "preference" },
      [found.leader ?? serverId(1), serverId(4)],
      "server",
      1,
    ).differs.join(),
    /^p4 followed instead of p\d$/,
  );
});

test("one server has no successor, and the nearest to all is told", () => {
  const { best } = adviceFor(ROW, { ...THREE, servers: 1 });
  assert.deepEqual([best.placement, best.evaluation.best.outageMs], [["b"], Infinity]);
  assert.equal(advise(ROW, { ...THREE, servers: 1, goal: "outage" }, [["b"]], null), null);
});

suite("configuration to paste", () => {
  const { best, advised, order } = adviceFor(ROW, THREE);
  const [ours, zookeeper, etcd] = configurations(best.evaluation.topology, advised, order);

  test("ours names the oracle, or the list", () => {
    assert.match(ours?.text ?? "", /^server\.1=a\.example:2888:3888\n.*\noracle=latency\nfirstLeader=2\n$/s);
    const listed = configurations(best.evaluation.topology, { ...advised, rule: "preference" }, order);
    assert.match(listed[0]?.text ?? "", /\noracle=preference\npreference=2,\d,\d\n/);
  });

  test("ZooKeeper's highest id is the first of the list, and it is said what that does not do", () => {
    assert.match(zookeeper?.text ?? "", /^server\.3=b\.example/m);
    assert.match(zookeeper?.limits.join(" ") ?? "", /neither distances nor load/);
  });

  test("etcd's timers follow the longest distance", () => {
    assert.match(etcd?.text ?? "", /--heartbeat-interval=100\n--election-timeout=1000\n/);
    assert.match(etcd?.limits.join(" ") ?? "", /no priority/);
  });
});
