import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, parseTopology, shippedTopologies, withLink, withLoad } from "./topology.ts";
import { topologyFromCsv } from "./topology-csv.ts";
import { RefusedInput } from "./topology-problem.ts";
import { publishedSchema } from "./topology-schema.ts";

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
    const published = readFileSync(new URL("../topologies/topology.schema.json", import.meta.url), "utf8");
    assert.deepEqual(
      JSON.parse(published),
      JSON.parse(publishedSchema()),
      "rewrite it: node orchestrator/topology-schema.ts",
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
