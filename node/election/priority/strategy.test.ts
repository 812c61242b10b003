import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestScore,
  type Candidate,
  firstId,
  otherSite,
  roundRobin,
  siteOrder,
  type Strategy,
} from "./strategy.ts";

const of = (id: string, site: string, score = 0): Candidate => ({ member: `m-${id}`, id, site, score });

/** In the order in which they came. */
const all = [of("p10", "slac"), of("p2", "fnal"), of("p3", "slac")];

const chosen = (
  strategy: Strategy,
  candidates = all,
  previous: Candidate | null = null,
  leader = previous,
): string => strategy.choose({ candidates, previous, leader }).slice(2);

test("the first id, by number", () => {
  assert.equal(chosen(firstId), "p2");
  assert.equal(chosen(firstId, [of("b", "x"), of("a", "x"), of("a1", "x")]), "a");
});

test("round and round", () => {
  assert.equal(chosen(roundRobin), "p2");
  assert.equal(chosen(roundRobin, all, of("p2", "fnal")), "p3");
  assert.equal(chosen(roundRobin, all, of("p3", "slac")), "p10");
  assert.equal(chosen(roundRobin, all, of("p10", "slac")), "p2");
  assert.equal(chosen(roundRobin, all, of("p5", "gone")), "p10", "after one who is gone");
});

test("by the order of sites, of which some have nobody", () => {
  assert.equal(chosen(siteOrder(["caltech", "slac", "fnal"])), "p3");
  assert.equal(chosen(siteOrder(["fnal"])), "p2");
  assert.equal(chosen(siteOrder(["caltech"])), "p2", "nobody is at any of them");
});

test("another site than the last leader's, if there is one", () => {
  assert.equal(chosen(otherSite, all, of("p2", "fnal")), "p3");
  assert.equal(chosen(otherSite, all, of("p3", "slac")), "p2");
  assert.equal(chosen(otherSite, [of("p4", "slac")], of("p3", "slac")), "p4");
  assert.equal(chosen(otherSite), "p2");
});

test("the best score; a leader stays until another is better by more than the hysteresis", () => {
  const scored = [of("p1", "x", 5), of("p2", "x", 9), of("p3", "x", 9)];
  assert.equal(chosen(bestScore(1), scored), "p2");
  assert.equal(chosen(bestScore(4), scored, scored[0]), "p1");
  assert.equal(chosen(bestScore(3), scored, scored[0]), "p2");
});
