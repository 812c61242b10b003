// lane: works, 1 s
// From measurements to one round trip a pair: what is decided on the way, and what is refused.
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { RefusedInput } from "../../terminal/problem.ts";
import { roundTripsOf } from "../../testing/round-trips.ts";
import { foundIn } from "./formats.ts";
import { type MapOptions, mapOf } from "./map.ts";

const ASIS: MapOptions = { estimate: "refuse", places: new Map(), unitIsSaid: false };

const map = (text: string, options: Partial<MapOptions> = {}) =>
  mapOf([{ file: "m.csv", found: foundIn(text, "m.csv", { unit: null, from: null }) }], {
    ...ASIS,
    ...options,
  });

const refusal = (text: string, options: Partial<MapOptions> = {}): string => {
  try {
    map(text, options);
  } catch (error) {
    assert.ok(error instanceof RefusedInput);
    assert.equal(error.exitCode, 64);
    return error.message;
  }
  return assert.fail("it was taken");
};

suite("a pair has one round trip", () => {
  test("whichever end measured it", () => {
    const { topology, notes } = map(",A,B,C\nA,,10,20\nB,,,30\nC,,,\n");
    assert.deepEqual(roundTripsOf(topology), { "a b": 10, "a c": 20, "b c": 30 });
    assert.deepEqual(notes, []);
  });

  test("the mean of both ends, which is said when they differ much", () => {
    const { topology, notes } = map(",a,b,c\na,,10,20\nb,14,,30\nc,20.4,30,\n");
    assert.deepEqual(roundTripsOf(topology), { "a b": 12, "a c": 20.2, "b c": 30 });
    assert.deepEqual(notes, ["not the same from both ends, so that the mean counts: a-b 10 and 14 ms"]);
  });

  test("the median of several, which is said", () => {
    const { topology, notes } = map("from,to,rtt_ms\na,b,10\na,b,50\na,b,12\nb,c,30\na,c,20\n");
    assert.deepEqual(roundTripsOf(topology), { "a b": 12, "a c": 20, "b c": 30 });
    assert.deepEqual(notes, ["measured more than once, so that the median counts: a-b (3)"]);
  });

  test("what is much nearer over a third site is said", () => {
    const { notes } = map(",a,b,c\na,,100,20\nb,,,30\nc,,,\n");
    assert.deepEqual(notes, [
      "much nearer over a third site, which may be so or may be a mistake: a-b 100 ms, over c 50",
    ]);
  });
});

suite("pairs that nobody measured", () => {
  const GAPS = ",a,b,c,d\na,,10,,\nb,,,20,\nc,,,,40\nd,,,,\n";

  test("are refused, and it is said what could be done", () => {
    assert.equal(
      refusal(GAPS),
      "m.csv: no round-trip time between a-c, a-d, b-d; " +
        "measure them, or say --estimate detour or great-circle",
    );
  });

  test("or are as far as the shortest way over others", () => {
    const { topology, notes } = map(GAPS, { estimate: "detour" });
    assert.deepEqual(roundTripsOf(topology), {
      "a b": 10,
      "a c": 30,
      "a d": 70,
      "b c": 20,
      "b d": 60,
      "c d": 40,
    });
    assert.match(notes.join("\n"), /^not measured, so by detour, .*: a-c, a-d, b-d$/);
    assert.equal(topology.link("a", "d").source, "estimated: detour");
    assert.equal(topology.link("a", "b").source, "m.csv");
  });

  test("over others there may be no way", () => {
    assert.equal(
      refusal(",a,b,c,d\na,,10,,\nb,,,,\nc,,,,40\nd,,,,\n", { estimate: "detour" }),
      "m.csv: no way over measured pairs leads from one to the other: a-c, a-d, b-c, b-d",
    );
  });

  test("or as far as on the globe, with the stretch of those that were measured", () => {
    // Along the equator: a degree is 111.195 km, there and back 1.11195 ms in glass.
    const places = new Map(
      [0, 30, 60, 90].map((longitude, at) => ["abcd"[at] ?? "", { latitude: 0, longitude }]),
    );
    const text = ",a,b,c,d\na,,66.717,,\nb,,,66.717,\nc,,,,66.717\nd,,,,\n";
    const { topology } = map(text, { estimate: "great-circle", places });
    const found = roundTripsOf(topology);
    assert.ok(Math.abs((found["a c"] ?? 0) - 133.43) < 0.1, `${found["a c"]}`);
    assert.ok(Math.abs((found["a d"] ?? 0) - 200.15) < 0.1, `${found["a d"]}`);
    assert.equal(
      refusal(text, { estimate: "great-circle", places: new Map([...places].slice(1)) }),
      "m.csv: nobody says where a are; --places is a list of site,latitude,longitude",
    );
  });
});

suite("what cannot be", () => {
  const refused: [what: string, text: string, told: string | RegExp][] = [
    ["negative", ",a,b\na,,-3\nb,,\n", "m.csv:2: a to b: -3 ms: a way back in time"],
    ["nothing at all", ",a,b\na,,0\nb,,\n", /^m\.csv:2: a to b: 0 ms: nothing is that near/],
    [
      "beyond the Earth",
      ",a,b\na,,91000\nb,,\n",
      /^m\.csv:2: a to b: 91000 ms is longer than any way .* say --unit us$/,
    ],
    [
      "seconds taken for milliseconds",
      ",a,b\na,,0.233\nb,,\n",
      /^m\.csv: the longest way takes 0\.233 ms; if these are/,
    ],
    [
      "one site by two names",
      ",Fra 1,fra-1,b\nFra 1,,1,2\nb,2,3,\n",
      /^"Fra 1" and "fra-1" are both called fra-1 here/,
    ],
    [
      "a name too long",
      `,${"x".repeat(40)},b\n${"x".repeat(40)},,2\nb,,\n`,
      /^"x{40}" is no name for a site: up to 31/,
    ],
    ["a site alone", ",a\na,0\n", /nothing was measured in it$/],
  ];
  for (const [what, text, told] of refused)
    test(what, () => {
      const said = refusal(text);
      if (typeof told === "string") assert.equal(said, told);
      else assert.match(said, told);
    });

  test("each of several mistakes is told", () => {
    assert.equal(refusal(",a,b,c\na,,-3,0\nb,,,5\nc,,,\n").split("\n").length, 2);
  });

  test("300 sites", () => {
    const names = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const rows = names.map((name) => `${name},${names.map(() => "10").join(",")}`);
    assert.equal(
      refusal(`,${names.join(",")}\n${rows.join("\n")}\n`),
      "m.csv: 300 sites are given, 250 are the most",
    );
  });

  test("faster than light, where places are known", () => {
    const places = new Map([
      ["a", { latitude: 50.1, longitude: 8.7 }],
      ["b", { latitude: 38.9, longitude: -77 }],
    ]);
    assert.match(
      refusal(",a,b\na,,12\nb,,\n", { places }),
      /^a to b: 12 ms is faster than light in a fibre \(65\.\d+ ms\)/,
    );
  });

  test("a rack is one, when somebody says so", () => {
    assert.deepEqual(roundTripsOf(map(",a,b\na,,0.234\nb,,\n", { unitIsSaid: true }).topology), {
      "a b": 0.234,
    });
  });
});
