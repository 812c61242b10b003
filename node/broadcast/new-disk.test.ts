/** A server comes back with an empty disk: what it had acknowledged it does not know any more. */

import assert from "node:assert/strict";
import test from "node:test";
import { holdsAll } from "./newest.ts";
import { eventsOf, reasonAt, serving, writesOf } from "../testing/broadcast/story.ts";
import { SmallWorld } from "../testing/broadcast/world.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";
import type { ServerId } from "../core/identity.ts";

test("a new disk does not stand for the one that had the write, until all are there who may have it", () => {
  // Server 3 leads and commits a write together with 2, while nothing reaches 1; then both die.
  const world = serving(3, { servers: 3 });
  world.write(3);
  world.settleAmong(2, 3);
  world.crash(3);
  world.crash(2);
  world.at(2).durable = 0;
  world.start(2);
  world.connect(1, 2);
  world.elect(1);
  world.settle();
  assert.ok(!world.at(1).serving && !world.at(2).serving, "two of three would be a quorum without the write");
  world.start(3);
  world.connect(1, 3);
  world.connect(2, 3);
  world.elect(1);
  world.settle();
  for (const id of world.servers) assert.deepEqual(writesOf(world, id), [1]);
});

test("a new disk is no hindrance while a quorum has the history, and counts again once it has it too", () => {
  const world = serving(3, { servers: 3 });
  world.write(3);
  world.settle();
  world.crash(2);
  world.at(2).durable = 0;
  world.start(2);
  world.connect(2, 3);
  world.connect(1, 2);
  world.follow(2, 3);
  world.settle();
  assert.deepEqual(writesOf(world, 2), [1]);
  world.crash(3);
  world.elect(1);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving);
});

test("a server whose disk was lost does not begin anew with one that was never led", () => {
  // The first epoch is of 1 and 2; 3 has promised it, and dies.
  const world = new SmallWorld({ servers: 3 });
  world.startAll();
  world.elect(1);
  world.until(() => {
    for (const [from, to] of world.busyRoads()) world.arrive(from, to);
    for (const id of world.servers) world.persist(id);
    return eventsOf(world, 1, "discovered").length > 0;
  });
  world.crash(3);
  world.settle();
  world.write(1);
  world.settle();
  for (const id of [1, 2]) world.crash(id);
  world.at(2).durable = 0;
  world.start(2);
  world.start(3);
  world.connect(2, 3);
  world.elect(3);
  world.settle();
  assert.ok(!world.at(2).serving && !world.at(3).serving, "they would be a quorum of a second epoch 1");
  world.fire(3, "discovery");
  assert.match(reasonAt(world, 3) ?? "", /new disks .* all servers are there/);
  world.start(1);
  world.connect(1, 2);
  world.connect(1, 3);
  world.elect(3);
  world.settle();
  for (const id of world.servers) assert.deepEqual(writesOf(world, id), [1]);
});

test("new servers begin when all are there, or, where it is said that there never was one, a quorum", () => {
  for (const initial of [false, true]) {
    const world = new SmallWorld({ servers: 3, options: { initial } });
    world.start(1);
    world.start(2);
    world.connect(1, 2);
    world.elect(1);
    world.settle();
    assert.equal(world.at(1).serving, initial);
    world.start(3);
    world.connect(1, 3);
    world.connect(2, 3);
    world.elect(1);
    world.settle();
    for (const id of world.servers) assert.ok(world.at(id).serving);
  }
});

test("what is said of the beginning says nothing once an epoch is known", () => {
  const world = serving(3, { servers: 3, options: { initial: true } });
  world.write(3);
  world.settleAmong(2, 3);
  world.crash(3);
  world.crash(2);
  world.at(2).durable = 0;
  world.start(2);
  world.connect(1, 2);
  world.elect(1);
  world.settle();
  assert.ok(!world.at(1).serving && !world.at(2).serving);
});

test("who is of no epoch counts only when nobody is missing", () => {
  const of = (...epochs: readonly number[]) =>
    epochs.map((currentEpoch, index) => ({
      id: (index + 1) as ServerId,
      currentEpoch: currentEpoch as Epoch,
      lastZxid: 0 as Zxid,
    }));
  const table: readonly (readonly [epochs: readonly number[], holds: boolean])[] = [
    [[0, 0, 0], false],
    [[0, 0, 0, 0, 0], true],
    [[0, 0], false],
    [[1, 1, 1], true],
    [[1, 1, 0], false],
    [[1, 1, 0, 0], false],
    [[1, 2, 2, 0], true],
    [[1, 1, 0, 0, 0], true],
  ];
  for (const [epochs, holds] of table) assert.equal(holdsAll(of(...epochs), 5, false), holds, epochs.join());
});
