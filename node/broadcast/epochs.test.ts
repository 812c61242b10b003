/** Epochs: one leader each, one leadership each, and none wasted. */

import assert from "node:assert/strict";
import test from "node:test";
import { serverId } from "../core/identity.ts";
import { recover } from "../core/recovery.ts";
import { outputsOf, reasonAt, serving } from "../testing/broadcast/story.ts";

test("an epoch that was promised to one leader is never promised to another", () => {
  const world = serving(2, { servers: 5 });
  // 3 gathers 4 and 5 and chooses epoch 2; 5 goes over to 1 before it hears of that, and promises it there.
  for (const id of [3, 4, 5]) world.follow(id, 3);
  world.arrive(4, 3);
  world.arrive(5, 3);
  for (const id of [1, 2, 5]) world.follow(id, 1);
  world.settleAmong(1, 2, 5);
  assert.equal(world.at(1).broadcast.currentEpoch, 2);
  world.settleAmong(3, 4);
  // Then 5 comes back to 3, which still offers epoch 2.
  world.follow(5, 3);
  world.settleAmong(3, 4, 5);
  assert.equal(reasonAt(world, 3), "server 5 has promised a newer epoch");
  for (const id of [3, 4, 5]) world.follow(id, 3);
  world.settleAmong(3, 4, 5);
  assert.equal(outputsOf(world, 3, "serving").at(-1)?.epoch, 3);
});

test("whom no quorum can follow asks for one epoch again and again, until somebody is led in it", () => {
  const world = serving(3, { servers: 3 });
  world.write(3);
  world.settle();
  for (const id of world.servers) world.crash(id);
  world.loseDisk(2);
  world.setOptions({ notRunning: [serverId(3)] });
  world.start(1);
  world.start(2);
  world.connect(1, 2);
  for (let times = 0; times < 5; times++) {
    world.elect(1);
    world.settle();
    world.fire(1, "discovery");
    world.settle();
  }
  for (const id of [1, 2]) assert.equal(recover(world.at(id).disk).promise?.epoch, 2);
  world.start(3);
  for (const id of [1, 2]) world.connect(id, 3);
  world.elect(1);
  world.settle();
  assert.deepEqual(outputsOf(world, 1, "serving").at(-1)?.epoch, 2);
  for (const id of [2, 3]) world.cut(1, id);
  for (const id of [2, 3]) world.connect(1, id);
  world.elect(1);
  world.settle();
  assert.deepEqual(outputsOf(world, 1, "serving").at(-1)?.epoch, 3, "an epoch has one leadership");
});

test("who promised an epoch to itself alone comes back, and a leader that has it meanwhile goes on", () => {
  const world = serving(2, { servers: 5 });
  for (const id of [3, 4, 5]) world.follow(id, 3);
  world.arrive(4, 3);
  world.arrive(5, 3);
  world.persist(3);
  assert.deepEqual(recover(world.at(3).disk).promise, { epoch: 2, leader: 3 });
  // It dies before anybody hears of epoch 2.
  world.crash(3);
  for (const id of [1, 2, 4, 5]) world.follow(id, 1);
  world.settle();
  assert.deepEqual(outputsOf(world, 1, "serving").at(-1)?.epoch, 2);
  world.start(3);
  for (const id of [1, 2]) world.connect(id, 3);
  world.follow(3, 1);
  world.settle();
  assert.deepEqual(outputsOf(world, 3, "serving").at(-1), outputsOf(world, 1, "serving").at(-1));
  assert.ok(world.at(1).serving, reasonAt(world, 1) ?? "");
  // Its promise is another's now, on its disk too: it never asks for epoch 2 again.
  assert.deepEqual(recover(world.at(3).disk).promise, { epoch: 2, leader: 1 });
});

test("who has led in an epoch keeps what it promised itself", () => {
  const world = serving(2, { servers: 3 });
  world.write(2);
  world.settle();
  for (const id of [1, 3]) world.cut(2, id);
  world.connect(1, 2);
  world.connect(2, 3);
  // A leader of the same epoch cannot be had, whoever claims to be one.
  world.follow(2, 1);
  world.follow(1, 1);
  world.settle();
  assert.notEqual(outputsOf(world, 1, "serving").at(-1)?.epoch, 1);
});

test("nor is an epoch tried again that somebody has promised to another meanwhile", () => {
  const world = serving(3, { servers: 3 });
  world.crash(3);
  world.start(3);
  for (const id of [1, 2]) world.connect(id, 3);
  world.follow(1, 1);
  world.follow(2, 1);
  world.arrive(2, 1);
  // Before it hears of the epoch it follows another, who takes the same one.
  world.follow(2, 3);
  world.follow(3, 3);
  world.arrive(2, 3);
  world.arrive(3, 2);
  world.persist(2);
  world.crash(3);
  world.fire(1, "discovery");
  world.elect(1);
  world.settle();
  assert.deepEqual(outputsOf(world, 1, "serving").at(-1)?.epoch, 3);
});
