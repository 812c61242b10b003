/** A server comes back with an empty disk: what it had acknowledged it does not know any more. */

import assert from "node:assert/strict";
import test from "node:test";
import { holdsAll } from "./newest.ts";
import { serving, writesOf } from "../testing/broadcast/story.ts";
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

test("who is of no epoch counts among others like it, and when nobody is missing", () => {
  const of = (...epochs: readonly number[]) =>
    epochs.map((currentEpoch, index) => ({
      id: (index + 1) as ServerId,
      currentEpoch: currentEpoch as Epoch,
      lastZxid: 0 as Zxid,
    }));
  const table: readonly (readonly [epochs: readonly number[], holds: boolean])[] = [
    [[0, 0, 0], true],
    [[0, 0], false],
    [[1, 1, 1], true],
    [[1, 1, 0], false],
    [[1, 1, 0, 0], false],
    [[1, 2, 2, 0], true],
    [[1, 1, 0, 0, 0], true],
  ];
  for (const [epochs, holds] of table) assert.equal(holdsAll(of(...epochs), 5, 3), holds, epochs.join());
});
