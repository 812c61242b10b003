import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "#node/core/random.ts";
import { cutWays, type Partition, type Way } from "./partition.ts";

const SERVERS = [1, 2, 3, 4, 5];
const LEADER = 3;

/** Whom a server reaches directly in both directions, itself included. */
function neighbours(ways: readonly Way[], server: number): readonly number[] {
  const isCut = (from: number, to: number): boolean => ways.some(([a, b]) => a === from && b === to);
  return SERVERS.filter((other) => !isCut(server, other) && !isCut(other, server));
}

const many = (partition: Partition): readonly (readonly Way[])[] =>
  Array.from({ length: 50 }, (_, seed) => cutWays(partition, SERVERS, LEADER, new Random(seed)));

test("in a minority partition the leader is with too few, and the others are a quorum", () => {
  for (const ways of many("minority partition")) {
    const inside = neighbours(ways, LEADER);
    assert.ok(inside.length >= 1 && inside.length <= 2, inside.join());
    const outside = SERVERS.filter((server) => !inside.includes(server));
    for (const server of outside) assert.deepEqual(neighbours(ways, server), outside);
  }
});

test("in a majority partition the leader keeps its quorum, and somebody is cut off", () => {
  for (const ways of many("majority partition")) {
    const { length } = neighbours(ways, LEADER);
    assert.ok(length === 3 || length === 4, String(length));
  }
});

test("in a shattered network everybody is alone", () => {
  for (const ways of many("shattered network")) {
    for (const server of SERVERS) assert.deepEqual(neighbours(ways, server), [server]);
  }
});

test("a bridge reaches all, and the two halves reach each other over it alone", () => {
  for (const ways of many("bridge partition")) {
    assert.deepEqual(neighbours(ways, LEADER), SERVERS);
    const sides = SERVERS.filter((server) => server !== LEADER).map((server) => neighbours(ways, server));
    assert.ok(sides.every((side) => side.length === 3 && side.includes(LEADER)));
    assert.equal(new Set(sides.map((side) => side.join())).size, 2);
  }
});

test("a one-way cut leaves every way back, and is about the leader", () => {
  for (const ways of many("one-way cut")) {
    assert.ok(ways.length > 0);
    assert.ok(ways.every(([from, to]) => !ways.some(([a, b]) => a === to && b === from)));
    assert.ok(ways.every((way) => way.includes(LEADER)));
  }
});
