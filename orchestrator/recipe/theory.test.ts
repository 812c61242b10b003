// lane: works, 1 s
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTopology } from "../topology/topology.ts";
import { serverId } from "#node/core/identity.ts";
import { consensusAt, toLeader } from "./distance.ts";
import { costsOf } from "./theory.ts";

const topology = loadTopology("3dc");
const leader = serverId(5);
const site = (server: number): string => topology.servers.get(serverId(server)) ?? "";

/** The elector beside p2, the candidate beside p1, the ensemble led by p5. */
const stated = {
  watching: "lean",
  survivors: 4,
  isAtAnEnd: false,
  elector: toLeader(topology, site(2), leader),
  candidate: toLeader(topology, site(1), leader),
  consensus: consensusAt(topology, leader),
  takeover: 0,
} as const;

const near = (measured: number, said: number): void =>
  assert.ok(Math.abs(measured - said) < 0.06, `${measured}, not ${said}`);

test("the case that is told: 232.2 ms by priority, 38.5 ms in a chain", () => {
  near(costsOf({ ...stated, recipe: "priority" }).ms, 232.2);
  near(costsOf({ ...stated, recipe: "chain" }).ms, 38.5);
  near(costsOf({ ...stated, recipe: "priority", takeover: 30 }).ms, 262.2);
});

test("who is told", () => {
  assert.equal(costsOf({ ...stated, recipe: "priority" }).notifications, 18);
  assert.equal(costsOf({ ...stated, recipe: "priority", isAtAnEnd: true }).notifications, null);
  assert.equal(costsOf({ ...stated, recipe: "priority", watching: "all" }).notifications, 28);
  assert.equal(costsOf({ ...stated, recipe: "herd" }).notifications, 4);
  assert.equal(costsOf({ ...stated, recipe: "kazoo" }).notifications, 1);
});
