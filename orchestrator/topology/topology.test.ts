import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, parseTopology, shippedTopologies, withLink, withLoad } from "./topology.ts";
import { topologyFromCsv } from "./csv.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { publishedSchema } from "./schema.ts";

/** The problems of a text, without the file's name. */
function problems(text: string): string[] {
  try {
    parseTopology(text, "t.yaml");
  } catch (error) {
    assert.ok(error instanceof RefusedInput);
    assert.equal(error.exitCode, 64);
    return error.message.split("\n").map((line) => line.replace("t.yaml:", ""));
  }
  return [];
}

const withLinks = (...links: string[]): string =>
  [
    "sites:",
    "  a: { servers: [p1] }",
    "  b: { servers: [p2] }",
    "links:",
    ...links.map((link) => `  - ${link}`),
  ].join("\n");

suite("the shipped topologies", () => {
  test("all parse, and each directed pair of sites has a link", () => {
    for (const name of shippedTopologies()) {
      const topology = loadTopology(name);
      for (const from of topology.sites.keys()) {
        for (const to of topology.sites.keys()) assert.ok(topology.link(from, to).delay > 0);
      }
      const shares = [...topology.sites.values()].reduce((sum, site) => sum + site.load, 0);
      assert.ok(Math.abs(shares - 1) < 1e-9, name);
    }
  });

  test("3dc is Deployment 1 of the paper", () => {
    const topology = loadTopology("3dc");
    const places = [...topology.servers].map(([server, site]) => `p${server} ${site}`);
    assert.deepEqual(places, ["p1 fnal", "p2 slac", "p3 slac", "p4 caltech", "p5 caltech"]);
    assert.equal(topology.link("caltech", "fnal").delay, milliseconds(38.53));
    assert.deepEqual(topology.link("fnal", "slac").jitter, {
      distribution: "pareto",
      scale: 533,
      halfLife: 0,
    });
  });

  // POLE paper, Table 2: milliseconds there and back.
  const measured: [a: string, b: string, roundTrip: number][] = [
    ["slac", "caltech", 9.88],
    ["tud", "cern", 20.75],
    ["slac", "fnal", 53.26],
    ["caltech", "fnal", 77.06],
    ["slac", "cern", 172.47],
  ];
  for (const [a, b, roundTrip] of measured) {
    test(`${a} is ${roundTrip} ms from ${b} wherever both are, and the table is named as the source`, () => {
      const both = shippedTopologies()
        .map(loadTopology)
        .filter(({ sites }) => sites.has(a) && sites.has(b));
      assert.ok(both.length > 0);
      for (const topology of both) {
        const [there, back] = [topology.link(a, b), topology.link(b, a)];
        assert.equal(there.delay + back.delay, milliseconds(roundTrip), topology.name);
        assert.match(there.source ?? "", /PingER|measured by the paper's authors/, topology.name);
      }
    });
  }

  test("the deployments place p1 to p5 as the paper's figures and table say", () => {
    const places = (name: string): string =>
      [...loadTopology(name).sites.values()].map(({ servers }) => servers.join("+")).join(" ");
    assert.equal(places("2dc"), "1+3 2+4+5");
    for (const name of ["3dc", "3dc-2", "3dc-3"]) assert.equal(places(name), "4+5 2+3 1", name);
    const first = (name: string): string => [...loadTopology(name).sites.keys()].join(" ");
    assert.deepEqual(["3dc", "3dc-2", "3dc-3"].map(first), [
      "caltech slac fnal",
      "slac caltech fnal",
      "slac fnal caltech",
    ]);
  });

  test("the regions of a public cloud have their provider's numbers", () => {
    const topology = loadTopology("cloud");
    const names = [...topology.sites.keys()];
    const sources = names.flatMap((a) => names.filter((b) => b !== a).map((b) => topology.link(a, b).source));
    assert.equal(sources.length, 20);
    for (const source of sources) assert.match(source ?? "", /documentation/);
  });

  test("pairs that the paper's table lacks are marked as estimated", () => {
    const topology = loadTopology("endpoints");
    assert.equal(topology.link("slac", "cern").estimated, false);
    assert.equal(topology.link("slac", "tud").estimated, true);
  });

  test("a place on the meridian of Greenwich can be estimated like any other", () => {
    const place = (longitude: number): string =>
      `{ latitude: 51.5, longitude: ${longitude}, servers: [p${longitude + 1}] }`;
    const topology = parseTopology(
      `sites: { a: ${place(0)}, b: ${place(1)} }\nestimate: { rule: great-circle, stretch: 2 }`,
      "t.yaml",
    );
    assert.ok(Math.abs(topology.link("a", "b").delay - 692) < 2, "69.2 km, stretched by 2");
  });

  test("the published schema is the one that is used", () => {
    const published = readFileSync(new URL("../../topologies/topology.schema.json", import.meta.url), "utf8");
    assert.deepEqual(
      JSON.parse(published),
      JSON.parse(publishedSchema()),
      "rewrite it: node orchestrator/topology/schema.ts",
    );
  });
});

suite("what is refused, and where", () => {
  const refused: [what: string, text: string, problem: string | RegExp][] = [
    [
      "a negative rtt",
      withLinks("{ between: [a, b], rtt: -3ms }"),
      /^5:29: expected a duration that is not neg/,
    ],
    ["a NaN as text", withLinks("{ between: [a, b], rtt: NaN }"), /^5:29: expected a duration/],
    [
      "a negative jitter",
      withLinks("{ between: [a, b], rtt: 3ms, jitter: { distribution: normal, sd: -1ms } }"),
      /^5:70: expected a percentage of the one-way mean/,
    ],
    [
      "a loss beyond everything",
      withLinks("{ between: [a, b], rtt: 3ms, loss: 101% }"),
      /^5:40: a loss of 101%/,
    ],
    ["not a number", withLinks("{ between: [a, b], rtt: .nan }"), /^5:29: expected a duration/],
    ["no unit", withLinks("{ between: [a, b], rtt: 20 }"), /^5:29: expected a duration with its unit/],
    [
      "a pair given twice",
      withLinks("{ between: [a, b], rtt: 3ms }", "{ from: b, to: a, delay: 2ms }"),
      "6:5: b to a is given twice",
    ],
    ["a site without link", "sites:\n  a: { servers: [p1] }\n  b:\n", /^2:3: a has no link to b/],
    [
      "a rate of 0",
      withLinks("{ between: [a, b], rtt: 3ms, rate: 0mbit }"),
      "5:40: a rate of 0 passes nothing: cut the link at run time instead",
    ],
    [
      "a jitter larger than the delay",
      withLinks("{ between: [a, b], rtt: 3ms, jitter: { distribution: normal, scale: 2ms } }"),
      /^5:34: a jitter of 2000 us is larger than the one-way delay of 1500 us/,
    ],
    [
      "an unknown field",
      withLinks("{ between: [a, b], rtt: 3ms, jiter: none }"),
      /^5:34: unknown field "jiter", did you mean "jitter"\? Valid are between, .*, jitter/,
    ],
    [
      "an unknown site",
      withLinks("{ between: [a, bb], rtt: 3ms }"),
      '5:7: unknown site "bb", did you mean "b"? Valid are a, b',
    ],
    ["a server placed twice", "sites:\n  a: { servers: [p1, p1] }\n", "2:22: p1 is already placed on a"],
    ["load without a server", "sites:\n  a: { load: 1 }\n", /^2:14: a has clients but no server/],
    [
      "a load that sums to 0",
      "sites:\n  a: { servers: [p1], load: 0 }\n",
      "1:1: every site's load is 0: somebody must send requests",
    ],
    ["half a link", withLinks("{ between: [a, b], delay: 3ms }"), /^5:5: a link is either/],
    ["a site linked to itself", withLinks("{ between: [a, a], rtt: 3ms }"), /^5:5: a is linked to itself/],
    [
      "a delay beyond everything",
      withLinks("{ between: [a, b], rtt: 9999999999999999s }"),
      /^5:5: a one-way delay of 5000000000000000s is more than 60s/,
    ],
    [
      "a LAN whose jitter is larger than its delay",
      "lan: { rtt: 1ms, jitter: { distribution: uniform, scale: 1ms } }\nsites:\n  a: { servers: [p1] }\n",
      /^1:\d+: a jitter of 1000 us is larger than the one-way delay of 500 us/,
    ],
    ["no load at all", "sites:\n  a: { servers: [p1], load: 0 }\n", /^1:1: every site's load is 0/],
    ["a negative load", "sites:\n  a: { servers: [p1], load: -1 }\n", /^2:29: /],
    ["a load that is no number", "sites:\n  a: { servers: [p1], load: .nan }\n", /^2:29: /],
    ["an unknown field of a site", "sites:\n  a: { server: [p1] }\n", /^2:8: .*did you mean "servers"\?/],
    ["a site given twice", "sites:\n  a: { servers: [p1] }\n  a: { servers: [p2] }\n", /^3:3: /],
    ["a server beyond p255", "sites:\n  a: { servers: [p256] }\n", /^2:18: p256: servers are named p1 to/],
    ["broken YAML", "sites: [", /^1:9: /],
    ["an empty file", "", /^1:1: /],
    [
      "300 sites",
      `sites:\n${Array.from({ length: 300 }, (_, index) => `  s${index}:\n`).join("")}`,
      /^1:1: 300 sites are given, 250 are the most/,
    ],
  ];
  for (const [what, text, expected] of refused) {
    test(what, () => {
      const [first = ""] = problems(text);
      if (typeof expected === "string") assert.equal(first, expected);
      else assert.match(first, expected);
    });
  }

  test("a name that nobody shipped", () => {
    assert.throws(() => loadTopology("3cd"), /there is no topology "3cd", did you mean "3dc"\?/);
  });
});

suite("variations of a topology", () => {
  test("one link changes, one way, and nothing else", () => {
    const far = withLink(loadTopology("2dc"), "tud", "cern", { delay: milliseconds(40) });
    assert.equal(far.link("tud", "cern").delay, milliseconds(40));
    assert.equal(far.link("cern", "tud").delay, milliseconds(10.375));
    assert.equal(far.servers.get(serverId(3)), "tud");
  });

  test("shares of the load always sum to 1", () => {
    const { sites } = withLoad(
      loadTopology("3dc"),
      new Map([
        ["fnal", 3],
        ["slac", 1],
      ]),
    );
    assert.deepEqual(
      [...sites.values()].map(({ load }) => load),
      [0, 0.25, 0.75],
    );
  });
});

suite("a matrix from CSV", () => {
  test("becomes a topology: symmetric where equal, directed where not", () => {
    const text = topologyFromCsv(",A,B,C\nA,,10,20\nB,10,,30\nC,22,,\n", "rtt.csv");
    const topology = parseTopology(text, "rtt.yaml");
    assert.equal(topology.link("a", "b").delay, milliseconds(5));
    assert.equal(topology.link("a", "c").delay, milliseconds(10));
    assert.equal(topology.link("c", "a").delay, milliseconds(11));
    assert.equal(topology.link("c", "b").delay, milliseconds(15));
  });

  test("is refused where it has holes or no numbers", () => {
    assert.throws(
      () => topologyFromCsv(",a,b\na,,x\nb,,\n", "m.csv"),
      /m\.csv:2:4: "x" is no round-trip time/,
    );
    assert.throws(() => topologyFromCsv(",a,b\n", "m.csv"), /no round-trip time between a and b/);
  });
});
