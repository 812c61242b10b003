/** How an established epoch is served: proposals, commits, windows and syncs, one story each. */

import assert from "node:assert/strict";
import test from "node:test";
import type { Mutant } from "../core/mutant.ts";
import { recover } from "../core/recovery.ts";
import type { BroadcastMessage } from "./message.ts";
import type { SmallWorld, WorldEvent } from "../testing/broadcast/world.ts";
import { eventsOf, outputsOf, reasonAt, serving, writesOf, z } from "../testing/broadcast/story.ts";

/** Counts what is sent, by kind. */
function counter(): { readonly sent: Record<string, number>; readonly watch: (event: WorldEvent) => void } {
  const sent: Record<string, number> = {};
  const watch = (event: WorldEvent) => {
    if (event.kind === "sent") sent[event.message.kind] = (sent[event.message.kind] ?? 0) + 1;
  };
  return { sent, watch };
}

const kinds = (messages: readonly BroadcastMessage[]): string[] => messages.map(({ kind }) => kind);

test("every server tells once of an epoch's first commit, when it has executed it", () => {
  const world = serving(1, { servers: 3 });
  for (const id of world.servers) assert.deepEqual(eventsOf(world, id, "committed"), []);
  for (const server of [2, 3]) {
    world.write(server);
    world.settle();
  }
  const first = { kind: "committed", epoch: 1, zxid: z(1, 1) };
  for (const id of world.servers) assert.deepEqual(eventsOf(world, id, "committed"), [first]);
  world.crash(1);
  world.elect(2);
  world.settle();
  assert.deepEqual(eventsOf(world, 2, "committed"), [first], "epoch 2 has no write yet");
  world.write(3);
  world.settle();
  assert.deepEqual(eventsOf(world, 3, "committed").at(-1), { kind: "committed", epoch: 2, zxid: z(2, 1) });
});

test("nothing is executed before a quorum has it on its disks", () => {
  const world = serving(1, { servers: 3 });
  const write = world.write(1);
  world.arrive(1, 2);
  world.arrive(1, 3);
  assert.deepEqual(kinds(world.underWay(2, 1)), [], "a follower says nothing before its disk does");
  world.persist(1);
  assert.deepEqual(writesOf(world, 1), [], "the leader's own disk is one of three");
  world.persist(3);
  world.arrive(3, 1);
  assert.deepEqual(writesOf(world, 1), [write]);
  assert.deepEqual(writesOf(world, 2), []);
  world.arrive(1, 2);
  assert.deepEqual(writesOf(world, 2), [write], "told of the commit, before its own disk has it");
});

test("the leader's disk need not be among them", () => {
  const world = serving(1, { servers: 3 });
  const write = world.write(1);
  for (const id of [2, 3]) {
    world.arrive(1, id);
    world.persist(id);
    world.arrive(id, 1);
  }
  assert.deepEqual(writesOf(world, 1), [write]);
});

test("forty writes of one turn are one proposal, one disk write, one acknowledgement and one commit", () => {
  const { sent, watch } = counter();
  const world = serving(1, { servers: 3, turns: false, watch });
  for (const key of Object.keys(sent)) delete sent[key];
  for (let more = 0; more < 40; more++) world.write(1);
  world.turn(1);
  assert.deepEqual(sent, { propose: 2 });
  world.settle();
  assert.deepEqual(sent, { propose: 2, ack: 2, commit: 2 });
  for (const id of world.servers) assert.equal(writesOf(world, id).length, 40);
});

test("a proposal of many large writes is cut into pieces", () => {
  const { sent, watch } = counter();
  const world = serving(1, { servers: 2, turns: false, options: { proposeBytes: 1000 }, watch });
  for (let more = 0; more < 10; more++) world.write(1, 500);
  world.turn(1);
  assert.equal(sent["propose"], 10);
  world.settle();
  assert.equal(writesOf(world, 2).length, 10);
});

test("writes of all servers come in one order, and those of one server in theirs", () => {
  const world = serving(2, { servers: 3 });
  const mine = new Map<number, number[]>([
    [1, []],
    [2, []],
    [3, []],
  ]);
  for (let more = 0; more < 30; more++) {
    const id = 1 + (more % 3);
    mine.get(id)?.push(world.write(id));
    if (more % 4 === 0) world.arrive(id, 2);
  }
  world.settle();
  assert.deepEqual(writesOf(world, 1), writesOf(world, 2));
  assert.deepEqual(writesOf(world, 1), writesOf(world, 3));
  for (const [id, writes] of mine) {
    const own = world.at(1).service.executed.filter(({ origin }) => origin === id);
    assert.deepEqual(
      own.map(({ write }) => write),
      writes,
    );
  }
});

test("a follower that stalls holds up nobody, is sent no more than its window, and catches up", () => {
  const world = serving(1, { servers: 3, options: { windowBytes: 700 } });
  for (let more = 0; more < 40; more++) {
    world.write(1);
    world.settleAmong(1, 2);
  }
  assert.equal(writesOf(world, 1).length, 40);
  const proposed = world.underWay(1, 3).filter(({ kind }) => kind === "propose");
  assert.equal(proposed.length, 11, "ten of 65 bytes, and the one that overruns the window");
  world.settle();
  assert.deepEqual(writesOf(world, 3), writesOf(world, 1));
  assert.equal(eventsOf(world, 1, "synchronizing").length, 2, "it was never brought level again");
});

test("a follower that falls out of the history is given the state, and goes on within the epoch", () => {
  const world = serving(1, { servers: 3, options: { windowBytes: 200, historyBytes: 400 }, perChunk: 3 });
  for (let more = 0; more < 40; more++) {
    world.write(1);
    world.settleAmong(1, 2);
  }
  world.settle();
  assert.deepEqual(writesOf(world, 3), writesOf(world, 1));
  const all = world.write(3);
  world.settle();
  assert.equal(writesOf(world, 3).at(-1), all);
  assert.equal(outputsOf(world, 3, "lost").length, 0);
  assert.equal(world.at(1).service.open, 0);
  // What lies on its disk is the state, and what came behind it.
  world.crash(3);
  world.start(3);
  assert.deepEqual(writesOf(world, 3).slice(0, 30), writesOf(world, 1).slice(0, 30));
  assert.ok(recover(world.at(3).disk).snapshot !== null);
});

/** Server 3 is away for twenty writes, and follows 1 again. */
function comeBackBehind(world: SmallWorld): void {
  world.crash(3);
  for (let more = 0; more < 20; more++) world.write(1);
  world.settle();
  world.start(3);
  world.connect(1, 3);
  world.follow(3, 1);
}

/** One message each way between 3 and its leader, and what 3 writes of it. */
function bringOn(world: SmallWorld): void {
  world.arrive(3, 1);
  world.arrive(1, 3);
  world.persist(3);
}

test("a snapshot keeps only a few chunks under way", () => {
  const options = { historyBytes: 0, chunksUnderWay: 2 };
  const world = serving(1, { servers: 3, options, perChunk: 1 });
  comeBackBehind(world);
  world.until(() => {
    bringOn(world);
    const chunks = world.underWay(1, 3).filter(({ kind }) => kind === "snapshot").length;
    assert.ok(chunks <= 2, `${chunks} chunks under way`);
    return world.at(3).serving;
  });
  assert.deepEqual(writesOf(world, 3), writesOf(world, 1));
});

test("a receiver of half a snapshot that crashes is what it was before", () => {
  const world = serving(1, { servers: 3, options: { historyBytes: 0 }, perChunk: 2 });
  const first = world.write(1);
  world.settle();
  comeBackBehind(world);
  world.until(() => {
    bringOn(world);
    return world.at(3).disk.filter(({ kind }) => kind === "snapshot").length >= 3;
  });
  world.crash(3);
  assert.equal(world.at(1).service.open, 0, "the snapshot is not read any more");
  world.start(3);
  assert.equal(world.at(3).broadcast.lastZxid, z(1, 1));
  world.connect(1, 3);
  world.follow(3, 1);
  world.settle();
  assert.deepEqual(writesOf(world, 3), writesOf(world, 1));
  assert.equal(writesOf(world, 3)[0], first);
});

test("a sync is answered when everything committed before it is executed here", () => {
  const world = serving(1, { servers: 3 });
  world.write(1);
  for (const [from, to] of [
    [1, 2],
    [2, 1],
  ] as const) {
    world.arrive(from, to);
    world.persist(2);
    world.persist(1);
  }
  world.arrive(2, 1);
  assert.equal(writesOf(world, 1).length, 1);
  assert.equal(writesOf(world, 3).length, 0);
  world.sync(3, 7);
  world.settle();
  assert.deepEqual(outputsOf(world, 3, "synced"), [{ kind: "synced", sequence: 7 }]);
  assert.equal(writesOf(world, 3).length, 1);
});

test("a sync is answered by the one who is welcomed, when the one who was asked has gone", () => {
  const world = serving(1, { servers: 3 });
  world.crash(3);
  world.start(3);
  world.connect(1, 3);
  world.follow(3, 1);
  // Server 3 is level, and the leader has not heard of it yet.
  world.until(() => {
    for (const [from, to] of world.busyRoads()) {
      if (to !== 1 || world.underWay(from, to)[0]?.kind !== "ack") world.arrive(from, to);
    }
    world.persist(3);
    return world.underWay(3, 1)[0]?.kind === "ack" && world.busyRoads().length === 1;
  });
  world.sync(1, 7);
  assert.deepEqual(kinds(world.underWay(1, 3)), [], "it is not asked, for it does not serve yet");
  world.arrive(3, 1);
  world.cut(1, 2);
  world.settle();
  assert.ok(world.at(1).serving, "two of three go on");
  assert.deepEqual(outputsOf(world, 1, "synced"), [{ kind: "synced", sequence: 7 }]);
});

test("syncs of one turn share a question", () => {
  const { sent, watch } = counter();
  const world = serving(1, { servers: 5, turns: false, watch });
  for (const id of [1, 2, 3]) world.sync(id, id);
  for (const id of [2, 3]) world.arrive(id, 1);
  world.turn(1);
  assert.equal(sent["confirm"], 4);
  world.settle();
  for (const id of [1, 2, 3])
    assert.deepEqual(outputsOf(world, id, "synced"), [{ kind: "synced", sequence: id }]);
  assert.equal(sent["confirm"], 4);
});

/** 1 leads and hears nothing any more; 2 and 3 go over to 3 and write. Then a client of 1 asks for a sync. */
function deposed(mutant: Mutant | null): SmallWorld {
  const world = serving(1, { servers: 3, mutant });
  for (const id of [3, 2]) world.follow(id, 3);
  world.settleAmong(2, 3);
  world.write(3);
  world.settleAmong(2, 3);
  assert.equal(writesOf(world, 2).length, 1);
  world.sync(1, 9);
  return world;
}

test("a leader that was deposed unawares answers no sync", () => {
  const right = deposed(null);
  assert.deepEqual(outputsOf(right, 1, "synced"), []);
  right.settle();
  assert.deepEqual(outputsOf(right, 1, "synced"), []);
  assert.equal(reasonAt(right, 1), "too few follow");
  const wrong = deposed("sync-without-quorum");
  assert.deepEqual(outputsOf(wrong, 1, "synced"), [{ kind: "synced", sequence: 9 }]);
  assert.equal(writesOf(wrong, 1).length, 0, "it answers from a state that lacks an acknowledged write");
});

test("what a server forwarded and can still be committed is settled when it serves again", () => {
  const world = serving(1, { servers: 3 });
  world.write(2);
  world.write(2);
  // The first reaches the leader, the second does not; then the connection breaks and is made anew.
  world.arrive(2, 1);
  world.cut(1, 2);
  world.connect(1, 2);
  world.follow(2, 1);
  world.settle();
  const [, again] = outputsOf(world, 2, "serving");
  assert.equal(again?.settled, z(1, 1));
  assert.deepEqual(writesOf(world, 2), [1]);
});

test("a leader near the end of its counter gives up its epoch for a new one", () => {
  const world = serving(1, { servers: 3, options: { transactionsPerEpoch: 3 } });
  for (let more = 0; more < 3; more++) world.write(1);
  world.settle();
  assert.equal(reasonAt(world, 1), "the epoch has no zxids left");
  for (const id of [2, 3]) assert.equal(reasonAt(world, id), "the leader leads no longer");
  world.elect(1);
  world.settle();
  world.write(2);
  world.settle();
  assert.equal(writesOf(world, 3).length, 4);
  assert.equal(world.at(3).broadcast.lastZxid, z(2, 1));
});

test("what comes behind a snapshot is kept until the snapshot has arrived, however long that takes", () => {
  let snapshots = 0;
  const world = serving(1, {
    servers: 3,
    options: { historyBytes: 200, chunksUnderWay: 1 },
    perChunk: 1,
    watch: (event) => {
      if (event.kind === "sent" && event.message.kind === "snapshot" && event.message.index === 0)
        snapshots += 1;
    },
  });
  world.crash(3);
  for (let more = 0; more < 10; more++) world.write(1);
  world.settle();
  world.start(3);
  world.connect(1, 3);
  world.follow(3, 1);
  // Ten writes for every chunk that arrives.
  world.until(() => {
    for (let more = 0; more < 10 && !world.at(3).serving; more++) world.write(1);
    world.settleAmong(1, 2);
    world.arrive(3, 1);
    world.arrive(1, 3);
    world.persist(3);
    return world.at(3).serving;
  });
  world.settle();
  assert.deepEqual(writesOf(world, 3), writesOf(world, 1));
  assert.equal(snapshots, 1);
});

test("no state is read for a follower that takes nothing, nor twice for one that comes again", () => {
  const options = { windowBytes: 200, historyBytes: 400, chunksUnderWay: 4 };
  const world = serving(1, { servers: 3, options, perChunk: 1 });
  for (let more = 0; more < 40; more++) {
    world.write(1);
    world.settleAmong(1, 2);
  }
  assert.equal(world.at(1).service.open, 0);
  world.until(() => {
    world.arrive(1, 3);
    world.persist(3);
    world.arrive(3, 1);
    return world.at(1).service.open > 0;
  });
  world.follow(3, 1);
  world.until(() => {
    world.arrive(1, 3);
    world.persist(3);
    world.arrive(3, 1);
    assert.ok(world.at(1).service.open <= 1);
    return world.at(3).serving;
  });
  assert.equal(world.at(1).service.open, 0);
});

test("who left and came again is not sent the answer to a sync of before", () => {
  const world = serving(1, { servers: 3 });
  world.sync(3, 1);
  world.arrive(3, 1);
  world.follow(3, 1);
  world.arrive(3, 1, 2);
  world.settle();
  assert.ok(world.at(3).serving);
  assert.deepEqual(outputsOf(world, 3, "synced"), []);
  assert.deepEqual(outputsOf(world, 3, "lost"), []);
});
