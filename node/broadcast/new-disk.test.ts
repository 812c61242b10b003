/** A server comes back with an empty disk: what it had acknowledged it does not know any more. */

import assert from "node:assert/strict";
import test from "node:test";
import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { recover } from "../core/recovery.ts";
import { Invariants } from "../testing/broadcast/invariants.ts";
import { eventsOf, outputsOf, reasonAt, serving, writesOf } from "../testing/broadcast/story.ts";
import { SmallWorld, type SmallWorldOptions } from "../testing/broadcast/world.ts";

test("servers with new disks begin with the first epoch when each has asked all and none knows one", () => {
  const world = twoOfThree();
  world.fire(1, "discovery");
  assert.match(
    reasonAt(world, 1) ?? "",
    /disk of this server is new, .* not heard from server 3\. Start that; or/,
  );
  world.fire(2, "join");
  assert.match(reasonAt(world, 2) ?? "", /not heard from server 3\..* --not-running 3; .* --initial yes/);
  world.start(3);
  world.connect(1, 3);
  world.connect(2, 3);
  world.elect(1);
  world.settle();
  for (const id of world.servers) assert.ok(world.at(id).serving);
  assert.deepEqual(eventsOf(world, 3, "founding"), [{ kind: "founding", servers: 3 }]);
});

test("or, where it is said that there never was one, when a quorum knows of none", () => {
  const world = twoOfThree({ options: { initial: true } });
  assert.ok(world.at(1).serving && world.at(2).serving);
});

test("who was there before the first epoch counts after a crash, however early it came", () => {
  // Only the leader of the first epoch is a member of it when all crash.
  const world = new SmallWorld({ servers: 3 });
  world.startAll();
  world.elect(1);
  world.until(() => {
    for (const [from, to] of world.busyRoads()) world.arrive(from, to);
    for (const id of world.servers) if (id !== 1) world.persist(id);
    world.persist(1, 1);
    return recover(world.at(1).disk).epoch > 0;
  });
  world.persist(1);
  for (const id of world.servers) world.crash(id);
  for (const id of [2, 3]) assert.equal(recover(world.at(id).disk).epoch, 0);
  world.start(1);
  world.start(2);
  world.connect(1, 2);
  world.elect(2);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving, "these are a quorum that has forgotten nothing");
});

test("a server whose disk was lost does not begin anew with one that was never started", () => {
  for (const leader of [1, 3]) {
    const world = forgetfulAmongNew();
    assert.ok(!world.at(2).serving && !world.at(3).serving, "they would be a quorum of a second epoch 1");
    world.start(1);
    world.connect(1, 2);
    world.connect(1, 3);
    for (let times = 0; times < 2; times++) {
      world.elect(leader);
      world.settle();
    }
    // All are there, but those who acknowledged the write are no quorum any more: nobody can tell what else
    // they had.
    for (const id of world.servers) assert.ok(!world.at(id).serving);
    world.fire(leader, "discovery");
    assert.match(
      reasonAt(world, leader) ?? "",
      /of these only 1 still has the disk .* 2 are needed.*polebench salvage/,
    );
  }
});

test("it would begin anew if a new disk were believed", () => {
  const world = forgetfulAmongNew("new-disk-believed");
  assert.ok(world.at(2).serving && world.at(3).serving);
  assert.deepEqual(writesOf(world, 3), [], "an acknowledged write is lost");
});

test("--initial says nothing once an epoch is known to anybody who is heard", () => {
  const world = serving(3, { servers: 3, options: { initial: true } });
  world.write(3);
  world.settleAmong(2, 3);
  world.crash(3);
  world.crash(2);
  renew(world, 2, 1);
  world.elect(1);
  world.settle();
  assert.ok(!world.at(1).serving && !world.at(2).serving);
});

test("a new disk is brought level by the leader of the newest epoch, and counts then", () => {
  const world = serving(3, { servers: 3 });
  world.write(3);
  world.settle();
  world.crash(2);
  renew(world, 2, 3, 1);
  world.follow(2, 3);
  world.settle();
  assert.deepEqual(eventsOf(world, 2, "returning"), [{ kind: "returning", epoch: 1 }]);
  assert.deepEqual(writesOf(world, 2), [1]);
  assert.equal(outputsOf(world, 2, "serving").at(-1)?.epoch, 1, "nobody starts over for its sake");
  world.crash(3);
  world.elect(1);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving, "with 1 it is a quorum");
});

test("it goes on where it was when it dies on the way", () => {
  const world = serving(3, { servers: 3 });
  world.write(3);
  world.settle();
  world.crash(2);
  renew(world, 2, 1, 3);
  world.settle();
  world.crash(2);
  world.crash(3);
  world.start(2);
  world.connect(1, 2);
  world.elect(1);
  world.settle();
  assert.ok(!world.at(1).serving, "what it has promised makes it no member");
  world.start(3);
  for (const id of [1, 2]) world.connect(id, 3);
  world.elect(2);
  world.settle();
  for (const id of world.servers) assert.deepEqual(writesOf(world, id), [1]);
});

test("it need not hear from those of whom it is said that they do not run", () => {
  const world = serving(3, { servers: 5, options: { notRunning: [5 as ServerId] } });
  world.write(3);
  world.settle();
  for (const id of [2, 5]) world.crash(id);
  renew(world, 2, 1, 3);
  world.settle();
  assert.deepEqual(eventsOf(world, 2, "returning"), [], "4 runs");
  world.connect(2, 4);
  world.settle();
  world.elect(3);
  world.settle();
  assert.deepEqual(writesOf(world, 2), [1]);
});

/**
 * Servers 1, 2 and 4 have promised epoch 2 to server 1, and nobody else has heard of it; then 2 loses its
 * disk, and comes back to 3, which believes that it leads.
 */
test("who has forgotten a promise does not help the old leader after it", () => {
  const [world, judge] = judged({ servers: 5 });
  world.startAll();
  world.elect(3);
  world.settle();
  for (const id of [1, 2, 4]) world.follow(id, 1);
  world.until(() => {
    for (const id of [2, 4]) {
      world.arrive(id, 1);
      world.arrive(1, id);
      world.persist(id);
    }
    world.persist(1);
    return eventsOf(world, 1, "discovered").length > 0;
  });
  world.vanish(2);
  judge.lostDisk(2 as ServerId);
  renew(world, 2, 1, 3, 4, 5);
  for (const id of [1, 3, 4, 5]) world.settleAmong(2, id);
  world.follow(2, 3);
  for (let times = 0; times < 2; times++) world.settleAmong(2, 3, 5);
  if (world.at(3).serving) judge.wrote(3 as ServerId, world.write(3));
  world.settleAmong(2, 3, 5);
  judge.check(world);
  world.follow(5, 1);
  world.settleAmong(1, 4, 5);
  judge.check(world);
  assert.ok(world.at(1).serving && !world.at(3).serving);
});

/** Server 1 counts on a promise of 2's former life, and nobody whom 2 can reach has heard of it. */
test("who has forgotten a promise takes no part until the one who may count on it has noticed", () => {
  const [world, judge] = judged({ servers: 5 });
  world.startAll();
  world.elect(3);
  world.settle();
  for (const again of [false, true]) {
    if (again) {
      world.crash(1);
      world.start(1);
      world.connect(1, 2);
      world.connect(1, 4);
    }
    for (const id of [1, 2, 4]) world.follow(id, 1);
    for (const id of [2, 4]) world.arrive(id, 1, world.underWay(id, 1).length);
    world.persist(1);
  }
  world.arrive(1, 2, world.underWay(1, 2).length);
  world.persist(2);
  world.arrive(2, 1, world.underWay(2, 1).length);
  assert.equal(recover(world.at(2).disk).promise?.epoch, 3);
  world.vanish(2);
  judge.lostDisk(2 as ServerId);
  renew(world, 2, 3, 4, 5);
  for (let times = 0; times < 2; times++) {
    if (world.at(3).serving && times > 0) break;
    for (const id of [2, 3, 4, 5]) world.follow(id, 3);
    world.settleAmong(2, 3, 4, 5);
  }
  assert.ok(world.at(3).serving && !world.at(2).serving);
  world.follow(4, 1);
  judge.wrote(3 as ServerId, world.write(3));
  world.settleAmong(2, 3, 5);
  judge.check(world);
  world.settleAmong(1, 4);
  world.connect(1, 5);
  world.follow(5, 1);
  world.settleAmong(1, 4, 5);
  judge.check(world);
  assert.ok(world.at(1).serving);
  assert.match(world.at(2).broadcast.hindrance ?? "", /not heard from server 1\./);
});

/**
 * Of an epoch of 1 and 2 both die after a write; 2 comes back with a new disk, to 3, which was never started
 * before.
 */
function forgetfulAmongNew(mutant: Mutant | null = null): SmallWorld {
  const world = twoOfThree({ options: { initial: true }, mutant });
  assert.ok(world.at(1).serving && world.at(2).serving);
  world.setOptions({ initial: false });
  world.write(1);
  world.settle();
  for (const id of [1, 2]) world.crash(id);
  renew(world, 2);
  world.start(3);
  world.connect(2, 3);
  world.elect(3);
  world.settle();
  return world;
}

/** Servers 1 and 2 of three start, and 1 is elected. */
function twoOfThree(options: Partial<SmallWorldOptions> = {}): SmallWorld {
  const world = new SmallWorld({ servers: 3, ...options });
  world.start(1);
  world.start(2);
  world.connect(1, 2);
  world.elect(1);
  world.settle();
  return world;
}

/** Comes back with a new disk, and meets these. */
function renew(world: SmallWorld, id: number, ...peers: readonly number[]): void {
  world.loseDisk(id);
  world.start(id);
  for (const peer of peers) world.connect(id, peer);
}

function judged(options: SmallWorldOptions): [SmallWorld, Invariants] {
  const judge = new Invariants();
  const world: SmallWorld = new SmallWorld({ ...options, watch: (event) => judge.hear(world, event) });
  return [world, judge];
}
