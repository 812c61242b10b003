/** How a server writes its own state to its disk while it serves. */

import assert from "node:assert/strict";
import test from "node:test";
import type { SmallWorld } from "../testing/broadcast/world.ts";
import { eventsOf, serving, writesOf, z } from "../testing/broadcast/story.ts";

const checkpointsOf = (world: SmallWorld, server: number) =>
  eventsOf(world, server, "checkpoint").map(({ zxid: at }) => at);

test(
  "a checkpoint spares a restarted server its past, and the rest of the log is executed once it is " +
    "level",
  () => {
    const world = serving(1, { servers: 3, options: { checkpointTransactions: 10 }, perChunk: 2 });
    for (let more = 0; more < 28; more++) {
      world.write(1);
      world.settle();
    }
    assert.deepEqual(checkpointsOf(world, 3), [z(1, 4), z(1, 14), z(1, 24)]);
    world.crash(3);
    world.start(3);
    assert.equal(writesOf(world, 3).length, 24);
    assert.equal(world.at(3).broadcast.lastZxid, z(1, 28));
    world.connect(1, 3);
    world.follow(3, 1);
    world.settle();
    assert.equal(writesOf(world, 3).length, 28);
  },
);

test("servers take turns with their checkpoints", () => {
  const world = serving(1, { servers: 3, options: { checkpointTransactions: 9 }, perChunk: 2 });
  for (let more = 0; more < 20; more++) {
    world.write(1);
    world.settle();
  }
  assert.deepEqual(checkpointsOf(world, 1), [z(1, 9), z(1, 18)]);
  assert.deepEqual(checkpointsOf(world, 2), [z(1, 6), z(1, 15)]);
  assert.deepEqual(checkpointsOf(world, 3), [z(1, 3), z(1, 12)]);
});

test("a checkpoint under way does not hold up transactions", () => {
  const options = { checkpointTransactions: 10, checkpointChunks: 1 };
  const world = serving(1, { servers: 1, options, perChunk: 1 });
  for (let more = 0; more < 10; more++) world.write(1);
  world.settleAmong(1);
  for (let more = 0; more < 10; more++) world.write(1);
  const chunks = world.at(1).disk.filter(({ kind }) => kind === "snapshot").length;
  assert.ok(chunks >= 10);
  world.settle();
  assert.equal(writesOf(world, 1).length, 20);
});
