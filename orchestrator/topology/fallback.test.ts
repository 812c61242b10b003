// lane: works, 1 s
// What is said of a link, of a file, and of neither; and distances that are not the same in both directions.
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { prospect, prospects } from "./model.ts";
import { newsOf } from "./outage.ts";
import { printTopology, readTopologyText } from "./text.ts";
import { parseTopology, type Topology, withLoad, withLoss, withoutJitter, withServers } from "./topology.ts";

const p = serverId;

const UNEQUAL = `description: everything unequal
source: the file
order: free
multicastLoss: shared
loss: 2%
rate: 10mbit
jitter: { distribution: normal, sd: 1ms, halfLife: 50ms }
lan: { rtt: 400us, jitter: none, loss: 0.5% }
sites:
  a: { latitude: 50, longitude: 8, servers: [p1, p4], load: 3 }
  b: { latitude: -33, longitude: 151, servers: [p2], load: 1 }
  c: { servers: [p3] }
links:
  - { from: a, to: b, delay: 5ms, loss: 7%, source: somebody }
  - { from: b, to: a, delay: 20ms, rate: 3mbit }
  - { between: [a, c], rtt: 60ms, jitter: { distribution: uniform, scale: 2ms } }
  - { from: b, to: c, delay: 11ms, jitter: none }
  - { from: c, to: b, delay: 40ms, jitter: { distribution: pareto, scale: 10% } }
`;
const unequal = parseTopology(UNEQUAL, "some/where/unequal.yml");
const normal = { distribution: "normal", scale: 1000, halfLife: 50_000 };

const refusal = (text: string): string => {
  try {
    parseTopology(text, "t.yaml");
  } catch (error) {
    assert.ok(error instanceof RefusedInput);
    return error.message;
  }
  return assert.fail("it was taken");
};

suite("what is not said of a link", () => {
  test("is as the file says, and what is said of it counts more", () => {
    const of = (from: string, to: string) => {
      const { delay, loss, rate, jitter, source, estimated } = unequal.link(from, to);
      return { delay, loss, rate, jitter, source, estimated };
    };
    const rest = { estimated: false, source: "the file", loss: 0.02, rate: 10e6, jitter: normal };
    assert.deepEqual(of("a", "b"), { ...rest, delay: 5000, loss: 0.07, source: "somebody" });
    assert.deepEqual(of("b", "a"), { ...rest, delay: 20_000, rate: 3e6 });
    const uniform = { distribution: "uniform", scale: 2000, halfLife: 0 };
    assert.deepEqual(
      [of("a", "c"), of("c", "a")],
      [1, 2].map(() => ({ ...rest, delay: 30_000, jitter: uniform })),
    );
    assert.deepEqual(of("b", "c"), { ...rest, delay: 11_000, jitter: null });
    const pareto = { distribution: "pareto", scale: 4000, halfLife: 0 };
    assert.deepEqual(of("c", "b"), { ...rest, delay: 40_000, jitter: pareto });
  });

  test("holds between sites only: inside of one, what is said of the LAN", () => {
    const { delay, loss, rate, jitter, source } = unequal.link("b", "b");
    assert.deepEqual([delay, loss, rate, jitter, source], [200, 0.005, Infinity, null, null]);
    const plain = parseTopology("sites: { a: { servers: [p1] } }", "t.yaml").link("a", "a");
    assert.deepEqual([plain.delay, plain.loss, plain.rate, plain.jitter], [50, 0, Infinity, null]);
  });

  test("an estimate has what the file says of all links", () => {
    const rule = "estimate: { rule: great-circle, stretch: 1.5 }";
    const text = UNEQUAL.replace("description: everything unequal", rule);
    const estimated = parseTopology(text.replace(/^ {2}- \{ from: a, to: b.*\n/m, ""), "t.yaml").link(
      "a",
      "b",
    );
    assert.deepEqual([estimated.estimated, estimated.loss, estimated.rate], [true, 0.02, 10e6]);
    assert.equal(estimated.source, "estimated: great circle times 1.5");
    // Frankfurt and Sydney are 16,500 km apart; light in glass takes 5 us a kilometre.
    assert.ok(estimated.delay > 110_000 && estimated.delay < 140_000, `${estimated.delay}`);
  });
});

suite("what a file says", () => {
  test("of itself and of its sites", () => {
    const { name, description, ordered, multicastLoss, sites, servers } = unequal;
    assert.deepEqual(
      [name, description, ordered, multicastLoss],
      ["unequal", "everything unequal", false, "shared"],
    );
    assert.deepEqual(
      [...sites.values()].map(({ name: site, load, latitude, longitude }) => [
        site,
        load,
        latitude,
        longitude,
      ]),
      [
        ["a", 0.75, 50, 8],
        ["b", 0.25, -33, 151],
        ["c", 0, null, null],
      ],
    );
    assert.deepEqual(
      [...servers].map(([server, site]) => `p${server} ${site}`),
      ["p1 a", "p2 b", "p3 c", "p4 a"],
    );
  });

  test("of nobody's load: all sites that have servers share it", () => {
    const loads = (...sites: string[]): number[] => {
      const all = Object.keys(Object.fromEntries(sites.map((site) => site.split(": "))));
      const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => `[${one}, ${other}]`));
      const links = pairs.map((between) => `  - { between: ${between}, rtt: 2ms }\n`);
      const text = `sites: { ${sites.join(", ")} }\nlinks:\n${links.join("")}`;
      return [...parseTopology(text, "t.yaml").sites.values()].map(({ load }) => load);
    };
    assert.deepEqual(loads("a: { servers: [p1] }", "b: ", "c: { servers: [p2] }"), [0.5, 0, 0.5]);
    assert.deepEqual(loads("a: { servers: [p1] }", "b: { servers: [p2], load: 2 }"), [0, 1]);
  });

  test("what is not one of a few words is told them, where it stands", () => {
    assert.match(refusal(UNEQUAL.replace("order: free", "order: some")), /^t\.yaml:3:8: expected one of /);
    assert.match(
      refusal(UNEQUAL.replace("distribution: normal", "distribution: odd")),
      /expected one of .*normal/,
    );
    assert.match(refusal("sites: *nowhere"), /^t\.yaml:1:1: /);
    assert.match(
      refusal(UNEQUAL.replace("loss: 7%", "loss: 107%")),
      /^t\.yaml:\d+:\d+: a loss of 107% is more/,
    );
    assert.match(
      refusal(UNEQUAL.replace("loss: 2%", "loss: 102%")),
      /a loss of 102% is more than everything/,
    );
  });
});

suite("as a text", () => {
  test("everything comes back as it was", () => {
    const again = readTopologyText(printTopology(unequal), "unequal");
    const plain = (topology: Topology) => {
      const { name, description, ordered, multicastLoss, sites, servers } = topology;
      const links = [...sites.keys()].flatMap((from) =>
        [...sites.keys()].map((to) => topology.link(from, to)),
      );
      return { name, description, ordered, multicastLoss, sites: [...sites], servers: [...servers], links };
    };
    assert.deepEqual(plain(again), plain(unequal));
    const kept = parseTopology(UNEQUAL.replace("order: free", "order: kept"), "unequal.yaml");
    assert.deepEqual(plain(readTopologyText(printTopology(kept), "unequal")), plain(kept));
  });
});

suite("another topology of one", () => {
  test("has what was changed, and all else as before", () => {
    const calm = withoutJitter(unequal);
    assert.deepEqual(calm.link("b", "a"), { ...unequal.link("b", "a"), jitter: null });
    const lossy = withLoss(unequal, 0.3);
    assert.deepEqual(lossy.link("b", "b"), { ...unequal.link("b", "b"), loss: 0.3 });
    assert.deepEqual(
      [lossy.multicastLoss, withLoss(unequal, 0, "independent").multicastLoss, lossy.description],
      ["shared", "independent", "everything unequal"],
    );
    const moved = withServers(unequal, new Map([["c", [p(9)]]]));
    assert.deepEqual([...moved.servers], [[9, "c"]]);
    assert.deepEqual(moved.link("a", "b"), unequal.link("a", "b"));
    const shared = withLoad(
      unequal,
      new Map([
        ["c", 3],
        ["b", 1],
      ]),
    );
    assert.deepEqual(
      [...shared.sites.values()].map(({ load }) => load),
      [0, 0.25, 0.75],
    );
  });
});

suite("what physics allows where ways are unequal", () => {
  test("a round trip is both ways, news is one, and it comes from the dead", () => {
    // From a (p1, p4) to b 25 ms there and back, to c 60; b to c and back 51.
    const led = prospect(unequal, p(2));
    assert.equal(led.consensusMs, 25, "the third nearest: itself, then p1 and p4");
    assert.equal(led.worstMs, 25 + 51);
    assert.deepEqual(
      [...led.sites],
      [
        ["a", 0.4 + 25 + 25],
        ["b", 0.4 + 25],
        ["c", 0.4 + 25 + 51],
      ],
    );
    assert.equal(led.meanMs, 0.75 * 50.4 + 0.25 * 25.4);
    // p2's death is known at a after 20 ms, at c after 11; c's at a after 30, at b after 40.
    assert.deepEqual([p(1), p(3)].map(newsOf(unequal, [p(2)])), [20, 11]);
    assert.deepEqual([p(1), p(2)].map(newsOf(unequal, [p(3)], 3)), [33, 43]);
    assert.equal(newsOf(unequal, [p(2), p(3)])(p(4)), 30, "of two, the last");
    assert.equal(prospect(unequal, p(1), [p(2)]).consensusMs, 60);
  });

  test("who has no server any more goes to the nearest that has one, there and back", () => {
    const { sites } = prospect(unequal, p(1), [p(2)]);
    // From b to a 20 and back 5, nearer than c with 11 and 40; p4 is beside p1.
    assert.equal(sites.get("b"), 60 + 25 + (0 + 0.4) / 2);
    assert.deepEqual([...prospect(unequal, p(1), [p(3)]).sites.keys()], ["a", "b"], "nobody is at c");
  });

  test("its own site is a client's first choice, however far inside", () => {
    const wide = parseTopology(UNEQUAL.replace("rtt: 400us", "rtt: 90ms"), "t.yaml");
    assert.equal(prospect(wide, p(2)).sites.get("b"), 90 + 25);
  });

  test("without a quorum nobody is served", () => {
    assert.deepEqual(prospects(unequal, [p(1), p(2)]), []);
  });
});
