/** What no frame between servers can carry: it is not taken, and where a log has it, it does no harm. */

import assert from "node:assert/strict";
import test from "node:test";
import { LARGEST_TOLD, PAYLOAD_LIMIT } from "../core/limits.ts";
import type { ServerId } from "../core/identity.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Transaction } from "../core/transaction.ts";
import type { BroadcastMessage } from "./message.ts";
import { outputsOf, serving, writesOf, z } from "../testing/broadcast/story.ts";
import type { SmallWorld } from "../testing/broadcast/world.ts";

/** Server 3 led epoch 1 and died with a write of so many bytes on its disk that it could tell nobody. */
function leaderWithUntold(bytes: number, told: (bytes: number) => void): SmallWorld {
  const world = serving(3, {
    servers: 3,
    watch: (event) => {
      if (event.kind === "sent" && event.message.kind === "propose") {
        for (const { payload } of event.message.transactions) told(payload.length);
      }
    },
  });
  world.write(3);
  world.settle();
  world.crash(3);
  const { disk } = world.at(3);
  const transaction: Transaction = {
    zxid: z(1, 2),
    time: 0 as TimeOfDay,
    ticket: { origin: 3 as ServerId, life: 1, sequence: 2 },
    payload: new Uint8Array(bytes),
    imaged: false,
  };
  disk.push({ kind: "transaction", transaction });
  world.at(3).durable = disk.length;
  return world;
}

for (const leader of [1, 3]) {
  test(`a write in a log that no frame can carry stops nobody when ${leader} leads next`, () => {
    const sizes: number[] = [];
    const world = leaderWithUntold(LARGEST_TOLD + 1, (bytes) => sizes.push(bytes));
    world.start(3);
    for (const other of [1, 2]) world.connect(other, 3);
    world.elect(leader);
    world.settle();
    const write = world.write(leader);
    world.settle();
    for (const id of world.servers) {
      assert.equal(world.at(id).broadcast.lastZxid, z(2, 1));
      assert.ok(writesOf(world, id).includes(write));
    }
    assert.ok(sizes.every((size) => size <= LARGEST_TOLD));
  });
}

test("a write in a log that a frame can carry is kept as it is, however large", () => {
  const sizes: number[] = [];
  const world = leaderWithUntold(PAYLOAD_LIMIT + 1, (bytes) => sizes.push(bytes));
  world.start(3);
  for (const other of [1, 2]) world.connect(other, 3);
  world.elect(3);
  world.settle();
  assert.ok(sizes.includes(PAYLOAD_LIMIT + 1));
});

test("a forwarded write that is too large takes its place as one that does nothing, and is answered", () => {
  const sizes: number[] = [];
  const world = serving(1, {
    servers: 3,
    watch: (event) => {
      if (event.kind === "sent" && event.message.kind === "propose") {
        for (const { payload } of event.message.transactions) sizes.push(payload.length);
      }
    },
  });
  const forward = (bytes: number): BroadcastMessage => ({
    kind: "forward",
    ticket: { origin: 2 as ServerId, life: 1, sequence: bytes },
    payload: new Uint8Array(bytes),
  });
  for (const bytes of [PAYLOAD_LIMIT + 1, PAYLOAD_LIMIT]) world.forge(2, 1, forward(bytes));
  world.settle();
  assert.deepEqual([...new Set(sizes)], [0, PAYLOAD_LIMIT]);
  assert.equal(outputsOf(world, 2, "serving").length, 1);
  for (const id of world.servers) assert.equal(world.at(id).broadcast.lastZxid, z(1, 2));
});
