// lane: works, 2 s
// Deployment 1, p5's process dies, scores but p4's are equal: what each election needs by itself.
import assert from "node:assert/strict";
import test from "node:test";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { milliseconds } from "#node/core/time.ts";
import { choose, type ElectionChoice } from "#node/election/catalog.ts";
import { newsOf } from "../topology/outage.ts";
import { loadTopology } from "../topology/topology.ts";
import { electedAlone } from "./election-alone.ts";

const topology = loadTopology("3dc");
const [p4, p5] = [serverId(4), serverId(5)];

const alone = (election: ElectionChoice, noticedMs: (server: ServerId) => number = newsOf(topology, [p5])) =>
  electedAlone({ topology, election, dead: p5, successor: p4, noticedMs });

const ends = (times: ReadonlyMap<ServerId, number> | null): readonly number[] => {
  const sorted = [...(times?.values() ?? [])].sort((a, b) => a - b);
  return [sorted[0] ?? 0, sorted.at(-1) ?? 0].map((time) => Number(time.toFixed(1)));
};

test("the first and the last that knows, as they were computed by hand", () => {
  assert.deepEqual(
    ends(alone(choose("bully", (option) => (option === "byScore" ? false : null)))),
    [0.1, 38.6],
  );
  assert.deepEqual(ends(alone({ name: "lcr" })), [70.2, 135.4]);
  assert.deepEqual(ends(alone({ name: "hs" })), [277.6, 342.8]);
});

test("who notices late is late", () => {
  const late = alone({ name: "bully" }, () => 100);
  const [first = 0, last = 0] = ends(late);
  assert.ok(first > 100 && last > 130, `${first} ${last}`);
});

test("where somebody waits by chance the longest of a few tries counts", () => {
  const byChance = choose("vote", (option) => (option === "ranked" ? false : null));
  const byRank = choose("vote", (option) => (option === "standDelay" ? milliseconds(10) : null));
  assert.equal(alone(byChance)?.size ?? 4, 4);
  const [first = 0] = ends(alone(byRank));
  assert.ok(first > 0);
});

test("nothing is said where it comes out otherwise", () => {
  assert.equal(
    electedAlone({ topology, election: { name: "lcr" }, dead: p5, successor: p5, noticedMs: () => 0 }),
    null,
  );
});
