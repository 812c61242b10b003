import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { shortestTour, tellTour, tourMs } from "./tour.ts";
import { loadTopology, parseTopology, type Topology } from "./topology.ts";

const p = (...ids: readonly number[]): readonly ServerId[] => ids.map(serverId);

test("a tour is the ways from each to the next, and home", () => {
  const map = loadTopology("3dc");
  // fnal, slac, slac, caltech, caltech: 26.63 + 0.05 + 4.94 + 0.05 + 38.53, by the paper's round trips.
  assert.equal(tourMs(map, p(1, 2, 3, 4, 5)).toFixed(1), "70.2");
  assert.equal(tourMs(map, p(1, 2, 4, 3, 5)).toFixed(1), "80.0");
});

test("what the best order gains is said", () => {
  const map = loadTopology("3dc");
  assert.match(
    tellTour(map, p(1, 2, 4, 5, 3)),
    /^Once around .* takes 63\.2 ms one way; no order is shorter\.$/,
  );
  assert.match(
    tellTour(map, p(1, 2, 3, 4, 5)),
    /takes 70\.2 ms one way; around p1 p2 p4 p5 p3 it would be 63\.2 ms, 7\.0 ms less for each tour/,
  );
});

/** Sites on a line, a server each: there and back is the best that can be. */
function row(places: readonly number[]): Topology {
  const site = (at: number): string => `s${at}`;
  const sites = places.map((_, at) => `  ${site(at)}: { servers: [p${at + 1}], load: 1 }`);
  const links = places.flatMap((a, at) =>
    places
      .slice(at + 1)
      .map(
        (b, further) =>
          `  - { between: [${site(at)}, ${site(at + 1 + further)}], rtt: ${2 * Math.abs(a - b)}ms }`,
      ),
  );
  return parseTopology(`sites:\n${sites.join("\n")}\nlinks:\n${links.join("\n")}\n`, "row.yaml");
}

test("on a line no tour is shorter than there and back, and that one is found", () => {
  const places = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 7 });
  fc.assert(
    fc.property(places, (drawn) => {
      const best = tourMs(row(drawn), shortestTour(row(drawn)));
      assert.equal(Math.round(best), 2 * (Math.max(...drawn) - Math.min(...drawn)));
    }),
    { numRuns: 20 },
  );
});
