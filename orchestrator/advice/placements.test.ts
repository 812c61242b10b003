// lane: works, 1 s
import assert from "node:assert/strict";
import test from "node:test";
import {
  countOfPlacements,
  leastAtASite,
  placed,
  placementOf,
  placementsOf,
  printPlacement,
} from "./placements.ts";
import { loadTopology } from "../topology/topology.ts";

const all = (sites: string, servers: number, most: number): readonly string[] =>
  [...placementsOf(sites.split(""), servers, most)].map((placement) => placement.join(""));

test("every way once, by the order of the sites", () => {
  assert.deepEqual(all("abc", 2, 1), ["ab", "ac", "bc"]);
  assert.deepEqual(all("abc", 2, 2), ["aa", "ab", "ac", "bb", "bc", "cc"]);
  assert.deepEqual(all("ab", 5, 3), ["aaabb", "aabbb"]);
  assert.deepEqual(all("ab", 5, 2), [], "no room");
  assert.deepEqual(all("", 0, 1), [""]);
});

test("their number is known without making them", () => {
  assert.equal(countOfPlacements(12, 5, 1), 792);
  for (const [sites, servers, most] of [
    [7, 3, 1],
    [5, 5, 2],
    [4, 6, 6],
    [3, 7, 2],
  ] as const)
    assert.equal(
      countOfPlacements(sites, servers, most),
      all("abcdefg".slice(0, sites), servers, most).length,
      `${servers} on ${sites}`,
    );
  assert.deepEqual([leastAtASite(3, 5), leastAtASite(5, 5), leastAtASite(12, 5)], [2, 1, 1]);
});

test("servers are numbered in the order of the sites, and come back as they were placed", () => {
  const topology = placed(loadTopology("cloud"), ["dallas", "dallas", "tokyo"]);
  assert.deepEqual(
    [...topology.servers],
    [
      [1, "dallas"],
      [2, "dallas"],
      [3, "tokyo"],
    ],
  );
  assert.deepEqual(placementOf(topology), ["dallas", "dallas", "tokyo"]);
  assert.equal(printPlacement(placementOf(topology)), "dallas x2, tokyo");
  assert.equal(topology.link("dallas", "london").delay, 56_500, "distances are as before");
});
