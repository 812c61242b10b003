/** What an honest server never says. Whoever says it is disconnected with a reason; the replica lives. */

import assert from "node:assert/strict";
import test from "node:test";
import type { ServerId } from "../core/identity.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Transaction } from "../core/transaction.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";
import type { BroadcastMessage } from "./message.ts";
import type { SmallWorld } from "../testing/broadcast/world.ts";
import { serving, writesOf, z } from "../testing/broadcast/story.ts";

const epoch = (value: number): Epoch => value as Epoch;

const propose = (...zxids: Zxid[]): BroadcastMessage => ({
  kind: "propose",
  transactions: zxids.map(
    (zxid): Transaction => ({
      zxid,
      time: 0 as TimeOfDay,
      ticket: { origin: 1 as ServerId, life: 1, sequence: 99 },
      payload: new Uint8Array(1),
      imaged: false,
    }),
  ),
});

const snapshot = (zxid: Zxid, index: number): BroadcastMessage & { kind: "snapshot" } => ({
  kind: "snapshot",
  zxid,
  index,
  last: false,
  bytes: new Uint8Array(0),
});

/** Three servers under 1, with three writes executed everywhere; then `from` says something to `to`. */
function forged(
  from: number,
  to: number,
  message: BroadcastMessage,
): { world: SmallWorld; reasons: string[] } {
  const reasons: string[] = [];
  const world = serving(1, {
    servers: 3,
    watch: (event) => {
      if (event.kind === "closed") reasons.push(event.reason);
    },
  });
  for (let more = 0; more < 3; more++) world.write(1);
  world.settle();
  world.forge(from, to, message);
  return { world, reasons };
}

const toFollower: readonly (readonly [BroadcastMessage, RegExp])[] = [
  [propose(z(1, 5)), /0x100000005 does not follow 0x100000003/],
  [propose(z(1, 3)), /0x100000003 does not follow/],
  [propose(z(1, 4), z(1, 6)), /0x100000006 does not follow 0x100000004/],
  [propose(z(1, 1)), /0x100000001 does not follow 0x100000003/],
  [propose(z(2, 1)), /0x200000001 does not follow/],
  [{ kind: "truncate", to: z(1, 2) }, /opened twice/],
  [snapshot(z(1, 9), 4), /chunk 4 of a snapshot out of order/],
  [snapshot(z(1, 2), 0), /executed long ago/],
  [
    { ...snapshot(z(1, 9), 0), bytes: new Uint8Array(5) },
    /a snapshot that cannot be read: a chunk of 5 bytes/,
  ],
  [{ kind: "commit", epoch: epoch(2), zxid: z(1, 3) }, /a commit of epoch 2/],
  [{ kind: "upToDate", epoch: epoch(1), committed: z(1, 3) }, /up to date in epoch 1/],
  [{ kind: "newLeader", epoch: epoch(1), lastZxid: z(1, 3) }, /a new leader of epoch 1/],
  [{ kind: "pull", epoch: epoch(1), lastZxid: z(1, 3) }, /a pull in epoch 1/],
  [{ kind: "confirm", epoch: epoch(7), sequence: 1 }, /confirm epoch 7/],
  [
    { kind: "forward", ticket: { origin: 1 as ServerId, life: 1, sequence: 1 }, payload: new Uint8Array(1) },
    /forward/,
  ],
];

for (const [message, reason] of toFollower) {
  test(`a follower leaves a leader for this: ${reason.source}`, () => {
    const { world, reasons } = forged(1, 2, message);
    assert.equal(reasons.length, 1);
    assert.match(reasons[0] ?? "", reason);
    assert.ok(!world.at(2).serving);
    assert.ok(world.at(1).serving, "the others go on");
    world.connect(1, 2);
    world.follow(2, 1);
    const write = world.write(3);
    world.settle();
    assert.equal(writesOf(world, 2).at(-1), write);
    assert.equal(writesOf(world, 2).length, 4);
  });
}

const toLeader: readonly (readonly [BroadcastMessage, RegExp])[] = [
  [{ kind: "ack", epoch: epoch(1), zxid: z(1, 4) }, /0x100000004, which it was not sent/],
  [{ kind: "ack", epoch: epoch(3), zxid: z(1, 3) }, /an acknowledgement in epoch 3/],
  [
    { kind: "ackEpoch", epoch: epoch(1), currentEpoch: epoch(0), lastZxid: z(1, 3), member: true },
    /a promise of epoch 1/,
  ],
  [{ kind: "snapshotTaken", index: 0 }, /chunk 0 out of order/],
  [{ kind: "confirmed", epoch: epoch(1), sequence: 1 }, /question 1, which was not asked/],
  [{ kind: "confirmed", epoch: epoch(2), sequence: 1 }, /confirms epoch 2/],
  [propose(z(1, 4)), /propose from a follower/],
  [{ kind: "pulled", lastZxid: z(1, 3) }, /pulled from a follower/],
  [{ kind: "commit", epoch: epoch(1), zxid: z(1, 3) }, /commit from a follower/],
];

for (const [message, reason] of toLeader) {
  test(`a leader drops a follower for this: ${reason.source}`, () => {
    const { world, reasons } = forged(2, 1, message);
    assert.equal(reasons.length, 1);
    assert.match(reasons[0] ?? "", reason);
    assert.ok(world.at(1).serving && world.at(3).serving);
    assert.ok(!world.at(2).serving);
  });
}

test("a server that is not of the ensemble is disconnected, whatever it says", () => {
  for (const stranger of [9, 1]) {
    const { reasons } = forged(stranger, 1, { kind: "join", attempt: 1, promise: null });
    assert.deepEqual(reasons, ["it is not another server of this ensemble"]);
  }
});

test("what comes from a server that is neither leader nor learner is passed over", () => {
  const { world, reasons } = forged(3, 2, { kind: "commit", epoch: epoch(9), zxid: z(9, 9) });
  world.forge(3, 2, { kind: "leave" });
  world.forge(3, 2, propose(z(5, 5)));
  assert.deepEqual(reasons, []);
  assert.ok(world.at(2).serving);
});
