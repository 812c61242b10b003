/**
 * Statements of the POLE paper that are about the broadcast: each title is the sentence, the comment names
 * the section.
 */

import assert from "node:assert/strict";
import test from "node:test";
import type { WorldEvent } from "../testing/broadcast/world.ts";
import { eventsOf, outputsOf, reasonAt, serving, writesOf } from "../testing/broadcast/story.ts";

// Section 2.1.
test("clients can connect to any server and this server processes locally read requests", () => {
  const said: WorldEvent[] = [];
  const world = serving(1, { servers: 3, watch: (event) => said.push(event) });
  world.write(2);
  world.settle();
  said.length = 0;
  // A read is answered from what is executed here; the broadcast has no part in it.
  assert.deepEqual(writesOf(world, 2), writesOf(world, 1));
  assert.deepEqual(said, []);
});

// Section 2.2.
test(
  "the leader can only acknowledge a request to the client after a quorum of servers accepted the " +
    "transaction, by logging it to stable storage and replying",
  () => {
    for (const logged of [0, 1, 2, 3, 4]) {
      const world = serving(1, { servers: 5 });
      world.write(1);
      world.persist(1);
      for (const id of [2, 3, 4, 5].slice(0, logged)) {
        world.arrive(1, id);
        world.persist(id);
        world.arrive(id, 1);
      }
      assert.equal(writesOf(world, 1).length, logged + 1 >= 3 ? 1 : 0);
    }
  },
);

// Section 2.2.
test(
  "a follower forwards a request to the leader, and the leader's acknowledgement comes back to it: a " +
    "round trip and a consensus",
  () => {
    const world = serving(1, { servers: 3 });
    const write = world.write(3);
    world.arrive(3, 1);
    world.persist(1);
    world.arrive(1, 2);
    world.persist(2);
    world.arrive(2, 1);
    assert.deepEqual(writesOf(world, 1), [write]);
    world.arrive(1, 3, 2);
    assert.deepEqual(writesOf(world, 3), [write]);
  },
);

// Section 2.3.
test("the leader performs multiple consensus instances in parallel", () => {
  const world = serving(1, { servers: 3 });
  for (let more = 0; more < 5; more++) world.write(1);
  assert.equal(world.underWay(1, 2).length, 5);
  assert.deepEqual(writesOf(world, 1), []);
});

// Section 2.3.
test(
  "because the leader only requires a quorum of servers to guarantee progress, different followers may " +
    "have accepted a different number of transactions",
  () => {
    const world = serving(1, { servers: 5 });
    for (let more = 0; more < 4; more++) world.write(1);
    for (const id of [2, 3]) world.arrive(1, id, 4);
    world.arrive(1, 4, 1);
    for (const id of world.servers) world.persist(id);
    for (const id of [2, 3]) world.arrive(id, 1, 4);
    assert.equal(writesOf(world, 1).length, 4);
    const accepted = [2, 3, 4, 5].map((id) => world.at(id).broadcast.lastZxid % 2 ** 32);
    assert.deepEqual(accepted, [4, 4, 1, 0]);
  },
);

// Section 2.3.
test(
  "the new leader takes time to learn from a quorum of followers the chosen transactions it has not " +
    "seen, and to propagate them to servers that are missing them",
  () => {
    const world = serving(5, { servers: 5 });
    for (let more = 0; more < 3; more++) world.write(5);
    world.settleAmong(3, 4, 5);
    world.crash(5);
    world.crash(4);
    world.elect(1);
    world.settle();
    assert.equal(eventsOf(world, 1, "pulled")[0]?.from, 3);
    for (const id of [1, 2, 3]) assert.equal(writesOf(world, id).length, 3);
  },
);

// Section 2.3.
test(
  "after a quorum is synchronized by persisting transactions to stable storage and applying to the " +
    "state, the leader can start processing new transactions",
  () => {
    const world = serving(3, { servers: 3 });
    world.write(3);
    world.settleAmong(2, 3);
    world.crash(3);
    world.elect(2);
    const last = () => world.at(2).outputs.findLast(({ kind }) => kind === "serving" || kind === "lost");
    world.until(() => {
      world.arrive(1, 2);
      world.persist(2);
      world.arrive(2, 1);
      const stored = world.at(1).disk.length - world.at(1).durable;
      if (stored > 0) assert.notEqual(last()?.kind, "serving", "before 1 has stored what it was sent");
      world.persist(1);
      return last()?.kind === "serving";
    });
    assert.deepEqual(writesOf(world, 2), [1]);
  },
);

// Section 2.3.
test("during the time the service is recovering, no new request is accepted", () => {
  const world = serving(1, { servers: 3 });
  world.elect(2);
  for (const id of world.servers) assert.throws(() => world.write(id), /a write before this server serves/);
});

// Section 2.3.
test(
  "by electing the server with the highest zxid, the leader does not have to copy missing transactions " +
    "from other servers",
  () => {
    const world = serving(3, { servers: 3 });
    world.write(3);
    world.settleAmong(2, 3);
    world.crash(3);
    world.elect(2);
    world.settle();
    assert.deepEqual(eventsOf(world, 2, "pulling"), []);
    assert.deepEqual(writesOf(world, 1), [1]);
  },
);

// Section 3.1.
test(
  "as long as a leader has open connections with a majority of processes, it remains able to commit the" +
    " operations it proposes",
  () => {
    const world = serving(1, { servers: 5 });
    world.cut(1, 4);
    world.cut(1, 5);
    world.write(1);
    world.settle();
    assert.deepEqual(writesOf(world, 1), [1]);
    assert.ok(world.at(1).serving);
  },
);

// Section 3.1. Ours takes leave of its followers but keeps the connections: elections use them too.
test(
  "if too many connections are terminated, the process abandons its leadership and performs a new " +
    "election",
  () => {
    const world = serving(1, { servers: 5 });
    for (const id of [3, 4, 5]) world.cut(1, id);
    assert.equal(reasonAt(world, 1), "too few follow");
    world.settle();
    assert.equal(reasonAt(world, 2), "the leader leads no longer");
  },
);

// Section 3.1.
test("when a process notices that it has disconnected from the leader, it performs a new election", () => {
  const world = serving(1, { servers: 3 });
  world.cut(1, 2);
  assert.equal(reasonAt(world, 2), "the leader cannot be reached");
  assert.ok(world.at(1).serving);
});

// Section 3.1.
test(
  "at any given time at most one leader has open connections with a majority; if two processes are " +
    "leaders simultaneously, eventually one of them drops leadership",
  () => {
    const world = serving(1, { servers: 3 });
    for (const id of [3, 2]) world.follow(id, 3);
    world.settleAmong(2, 3);
    assert.ok(world.at(1).serving && world.at(3).serving, "1 does not know yet");
    world.write(1);
    world.settle();
    assert.equal(reasonAt(world, 1), "too few follow");
    assert.deepEqual(outputsOf(world, 3, "lost"), []);
    for (const id of world.servers) assert.deepEqual(writesOf(world, id), []);
  },
);
