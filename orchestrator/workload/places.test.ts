import assert from "node:assert/strict";
import test from "node:test";
import { milliseconds } from "#node/core/time.ts";
import { loadTopology, withLink } from "../topology/topology.ts";
import { placesOf } from "./places.ts";

const topology = loadTopology("3dc");

test("a client goes to its own server, then to the others of its site, then to the nearest site's", () => {
  // From caltech it is 9.88 ms to slac, and 77.06 ms to fnal.
  assert.deepEqual(placesOf({ id: 5, site: "caltech", home: 5 }, topology), [5, 4, 2, 3, 1]);
  assert.deepEqual(placesOf({ id: 2, site: "slac", home: 2 }, topology), [2, 3, 4, 5, 1]);
});

test("where a site has one server, the nearest other site comes next", () => {
  // From fnal it is 53.26 ms to slac, and 77.06 ms to caltech.
  assert.deepEqual(placesOf({ id: 1, site: "fnal", home: 1 }, topology), [1, 2, 3, 4, 5]);
});

test("near is whoever answers soon: both ways count", () => {
  const back = withLink(topology, "slac", "fnal", { delay: milliseconds(60) });
  assert.deepEqual(placesOf({ id: 1, site: "fnal", home: 1 }, back), [1, 4, 5, 2, 3]);
});
