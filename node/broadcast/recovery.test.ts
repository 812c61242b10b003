/** How an epoch comes to be: discovery, pulling, and bringing everyone level, one story each. */

import assert from "node:assert/strict";
import { recover } from "../core/recovery.ts";
import test, { type TestContext } from "node:test";
import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import type { Epoch } from "../core/zxid.ts";
import { newest } from "./newest.ts";
import { SmallWorld, type SmallWorldOptions } from "../testing/broadcast/world.ts";
import { eventsOf, outputsOf, reasonAt, serving, writesOf, z } from "../testing/broadcast/story.ts";
import { line } from "../testing/broadcast/transcript.ts";

test("a blank ensemble of any size begins with epoch 1 and serves", () => {
  for (const servers of [1, 2, 3, 4, 5, 6, 7]) {
    const world = serving(1, { servers });
    for (const id of world.servers) {
      assert.deepEqual(outputsOf(world, id, "serving"), [
        { kind: "serving", leader: 1, epoch: 1, settled: 0 },
      ]);
    }
    const write = world.write(servers);
    world.settle();
    for (const id of world.servers) assert.deepEqual(writesOf(world, id), [write]);
  }
});

/**
 * Server 3 leads and commits writes together with 2, while nothing reaches 1. Then 3 dies, and 1 is to be
 * elected, which knows nothing of writes that clients were told of.
 */
function onlyTwoHasIt(options: Omit<SmallWorldOptions, "servers">, writes = 1): SmallWorld {
  const world = serving(3, { servers: 3, ...options });
  for (let more = 0; more < writes; more++) world.write(3);
  world.settleAmong(2, 3);
  world.crash(3);
  assert.equal(world.at(1).broadcast.lastZxid, 0);
  return world;
}

test("a leader that lacks what a follower has fetches it before it serves", () => {
  const world = onlyTwoHasIt({});
  world.elect(1);
  world.settle();
  assert.deepEqual(writesOf(world, 1), [1]);
  assert.deepEqual(writesOf(world, 2), [1]);
  assert.deepEqual(eventsOf(world, 1, "pulled"), [{ kind: "pulled", from: 2, bytes: 1, how: "diff" }]);
  const [established] = eventsOf(world, 1, "established");
  assert.deepEqual(established, { kind: "established", epoch: 2, initial: z(1, 1) });
});

test("transcript: the winner has to pull", (t: TestContext) => {
  const lines: string[] = [];
  const say = (text: string) => lines.push(text);
  const world = onlyTwoHasIt({ watch: (event) => lines.push(line(event)) }, 2);
  lines.length = 0;
  say("Three servers. 3 led epoch 1, committed two writes together with 2, and died.");
  say("Server 1, which has neither, was elected.\n");
  world.elect(1);
  world.settle();
  say("\nNow a client of server 2 writes.\n");
  world.write(2);
  world.settle();
  say("\nServer 3 comes back with what it had logged.\n");
  world.start(3);
  world.connect(1, 3);
  world.connect(2, 3);
  world.follow(3, 1);
  world.settle();
  say("\nIn the end:\n");
  for (const id of world.servers) say(`  ${id}       executed writes ${writesOf(world, id).join(", ")}`);
  t.assert.fileSnapshot(lines.join("\n"), `${import.meta.dirname}/testdata/the-winner-has-to-pull.txt`, {
    serializers: [(text: string) => `${text}\n`],
  });
});

test("a source too far ahead for its memory hands over its state, then what follows it", () => {
  const options = { historyBytes: 200, windowBytes: 150 };
  const world = serving(3, { servers: 3, options, perChunk: 2 });
  for (const other of [2, 3]) world.cut(1, other);
  for (let more = 0; more < 12; more++) world.write(3);
  world.settle();
  world.write(3);
  world.arrive(3, 2);
  world.persist(2);
  world.crash(3);
  world.connect(1, 2);
  world.elect(1);
  world.settle();
  assert.equal(eventsOf(world, 1, "pulled")[0]?.how, "snapshot");
  assert.deepEqual(writesOf(world, 1), writesOf(world, 2));
  assert.equal(writesOf(world, 1).length, 13);
  assert.equal(world.at(2).service.open, 0);
});

test("when the source dies, what was fetched stays and the rest comes from the next newest", () => {
  const world = serving(5, { servers: 5, options: { proposeBytes: 70, windowBytes: 70 } });
  for (const id of [1, 2]) world.cut(5, id);
  for (let more = 0; more < 4; more++) world.write(5);
  world.settle();
  world.crash(5);
  world.elect(1);
  // 3 and 4 have all four writes, 1 and 2 none; 1 asks the first who promised.
  world.until(() => {
    for (const id of [3, 4]) {
      world.arrive(id, 1);
      world.persist(1);
      world.arrive(1, id);
      world.persist(id);
    }
    return eventsOf(world, 1, "pulling").length > 0;
  });
  const [first] = eventsOf(world, 1, "pulling");
  const source = first?.from ?? 0;
  // The opening and one transaction arrive before the source is gone.
  world.until(() => {
    world.arrive(1, source);
    world.arrive(source, 1);
    return world.at(1).broadcast.lastZxid > 0;
  });
  world.crash(source);
  world.settle();
  const [, second] = eventsOf(world, 1, "pulling");
  assert.equal(second?.since, z(1, 1), "the second fetch goes on where the first broke off");
  assert.notEqual(second?.from, source);
  assert.equal(writesOf(world, 1).length, 4);
  assert.ok(world.at(1).serving && world.at(2).serving);
});

test("what an old leader logged alone is cut off when it returns", () => {
  const world = serving(3, { servers: 3 });
  world.write(3);
  world.persist(3);
  world.crash(3, 1);
  world.elect(1);
  world.settle();
  const kept = world.write(1);
  world.settle();
  world.start(3);
  assert.equal(world.at(3).broadcast.lastZxid, z(1, 1));
  world.connect(1, 3);
  world.follow(3, 1);
  world.settle();
  assert.equal(eventsOf(world, 1, "synchronizing").at(-1)?.how, "truncate");
  for (const id of world.servers) assert.deepEqual(writesOf(world, id), [kept]);
  world.crash(3);
  world.start(3);
  assert.equal(world.at(3).broadcast.lastZxid, z(2, 1), "and the cut survives a crash");
});

test("a server that logged a newer transaction but missed the newer epoch is not the newest", () => {
  // 3 led epoch 1 and logged a transaction alone; 1 and 2 went on to epoch 2 and wrote nothing yet.
  const own = { id: 1 as ServerId, currentEpoch: 2 as Epoch, lastZxid: z(1, 3), member: true };
  const other = { id: 3 as ServerId, currentEpoch: 1 as Epoch, lastZxid: z(1, 4), member: true };
  assert.equal(newest(own, [other]), own);
  assert.equal(newest(other, [own]), own);
  assert.equal(newest(own, [{ ...own, id: 2 as ServerId }]), own, "a tie is the own one");
  assert.equal(newest(own, [other], "pull-by-zxid-alone"), other);
});

test("a server that died half level keeps what it got, and does not pass for the newest", () => {
  const world = serving(3, { servers: 3, options: { proposeBytes: 70 } });
  world.cut(1, 3);
  for (let more = 0; more < 3; more++) world.write(3);
  world.settle();
  world.connect(1, 3);
  world.follow(1, 3);
  world.until(() => {
    world.arrive(1, 3);
    world.persist(1);
    world.arrive(3, 1);
    return world.at(1).broadcast.lastZxid >= z(1, 2);
  });
  world.persist(1);
  world.crash(1);
  world.start(1);
  assert.equal(world.at(1).broadcast.lastZxid, z(1, 2));
  world.connect(1, 2);
  world.elect(1);
  world.settle();
  assert.equal(writesOf(world, 1).length, 3);
});

test("a join that comes before its leader knows that it leads is kept", () => {
  const world = new SmallWorld({ servers: 3, options: { initial: true } });
  world.startAll();
  world.follow(1, 2);
  world.settle();
  world.follow(2, 2);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving);
});

test("a join to one who follows someone else is refused", () => {
  const world = new SmallWorld({ servers: 3 });
  world.startAll();
  world.follow(1, 2);
  world.settle();
  world.follow(2, 3);
  world.settle();
  assert.equal(reasonAt(world, 1), "the server that was to lead does not");
});

test("answers to an earlier attempt are passed over", () => {
  const world = new SmallWorld({ servers: 3, options: { initial: true } });
  world.startAll();
  world.follow(2, 2);
  world.follow(1, 2);
  world.arrive(1, 2);
  assert.equal(world.underWay(2, 1)[0]?.kind, "newEpoch");
  world.fire(1, "join");
  world.follow(1, 2);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving);
  assert.equal(world.at(1).outputs.filter(({ kind }) => kind === "lost").length, 1);
});

test("a server that promised a newer epoch is had by a newer one still", () => {
  const world = serving(1, { servers: 3 });
  world.cut(3, 1);
  // 3 leads an epoch that nobody else learns of.
  world.follow(3, 3);
  world.follow(2, 3);
  world.until(() => {
    world.arrive(2, 3);
    return world.underWay(3, 2).some(({ kind }) => kind === "newEpoch");
  });
  world.persist(3);
  world.crash(3);
  world.elect(1);
  world.settle();
  assert.equal(world.at(1).broadcast.currentEpoch, 2);
  // In a second life of the same kind it promises epoch 3 or more.
  world.start(3);
  world.connect(3, 2);
  world.follow(2, 3);
  world.follow(3, 3);
  world.settle();
  assert.ok(world.at(3).broadcast.currentEpoch > 2);
  const newer = world.at(3).broadcast.currentEpoch;
  world.cut(3, 2);
  world.elect(1);
  world.settle();
  world.connect(1, 3);
  world.follow(3, 1);
  world.settle();
  world.elect(1);
  world.settle();
  for (const id of world.servers) assert.ok(world.at(id).broadcast.currentEpoch >= newer);
  for (const id of world.servers) assert.ok(world.at(id).serving);
});

/**
 * Five servers; 1 leads. 5 gathers 3 and 4 for a newer epoch. 3 crashes before its promise is on its disk,
 * comes back to 1, and helps it to commit a write, while 5 knows nothing of the crash. Then 1 dies, and 2
 * goes over to 5.
 */
function forgottenPromise(mutant: Mutant | null): { readonly before: number[]; readonly after: number[] } {
  const world = serving(1, { servers: 5, mutant });
  world.cut(1, 5);
  for (const id of [5, 3, 4]) world.follow(id, 5);
  for (const id of [3, 4]) world.arrive(id, 5);
  world.persist(5);
  world.arrive(5, 3);
  world.arrive(3, 5);
  world.sever(3, 5);
  world.crash(3);
  world.start(3);
  world.connect(3, 1);
  world.follow(3, 1);
  world.settleAmong(1, 2, 3);
  world.settleAmong(4, 5);
  world.write(1);
  world.settleAmong(1, 2, 3);
  const before = writesOf(world, 1);
  world.crash(1);
  world.follow(2, 5);
  world.settleAmong(2, 4, 5);
  return { before, after: writesOf(world, 5) };
}

test("a promise is answered once it is durable: otherwise an acknowledged write is lost", () => {
  assert.deepEqual(forgottenPromise(null), { before: [1], after: [1] });
  assert.deepEqual(forgottenPromise("promise-before-durable"), { before: [1], after: [] });
});

test("a follower whose leader stays silent gives it up, in every phase", () => {
  for (const [arrivals, timer] of [
    [0, "join"],
    [1, "synchronization"],
  ] as const) {
    const world = new SmallWorld({ servers: 3 });
    world.startAll();
    world.follow(2, 2);
    world.follow(1, 2);
    world.arrive(1, 2);
    world.arrive(2, 1, arrivals);
    world.fire(1, timer);
    assert.match(reasonAt(world, 1) ?? "", /did not/);
    assert.equal(world.at(1).timers.size, 0);
  }
});

test("a leader whom no quorum joins gives up, and refuses those who did join", () => {
  const world = new SmallWorld({ servers: 5 });
  world.startAll();
  world.follow(2, 2);
  world.follow(1, 2);
  world.settle();
  world.fire(2, "discovery");
  world.settle();
  assert.equal(reasonAt(world, 2), "no quorum joined and promised");
  assert.equal(reasonAt(world, 1), "the server that was to lead does not");
});

test("while the leader fetches a long history, those who wait are told to wait", () => {
  const world = onlyTwoHasIt({ options: { proposeBytes: 1, windowBytes: 1 } }, 30);
  world.start(3);
  world.connect(1, 3);
  world.elect(1);
  const waits = () => world.underWay(1, 2).filter(({ kind }) => kind === "wait").length;
  let told = 0;
  for (let step = 0; step < 200 && !world.at(1).serving; step++) {
    world.now = (world.now + 500_000) as typeof world.now;
    for (const [from, to] of world.busyRoads()) world.arrive(from, to);
    told += waits();
    for (const id of world.servers) world.persist(id);
  }
  assert.ok(world.at(1).serving);
  assert.ok(told > 2, `told ${told} times`);
});

test("to abandon is to leave and to say so", () => {
  const world = serving(1, { servers: 3 });
  world.step(2, { kind: "request", request: { kind: "abandon", reason: "it retires" } });
  assert.equal(reasonAt(world, 2), "it retires");
  world.settle();
  assert.ok(world.at(1).serving, "3 and 1 are a quorum");
  world.step(1, { kind: "request", request: { kind: "abandon", reason: "it retires" } });
  world.settle();
  assert.equal(reasonAt(world, 3), "the leader leads no longer");
  world.step(3, { kind: "request", request: { kind: "abandon", reason: "again" } });
  assert.notEqual(reasonAt(world, 3), "again", "who follows nobody has nothing to abandon");
});

test("a join that comes while its receiver follows someone else is refused, once news had their time", () => {
  const world = serving(3, { servers: 3 });
  world.follow(1, 2);
  world.settle();
  assert.equal(reasonAt(world, 1), undefined);
  world.fire(2, "early");
  world.settle();
  assert.equal(reasonAt(world, 1), "the server that was to lead does not");
  assert.ok(world.at(2).serving && world.at(3).serving);
});

test("a join that comes before its receiver hears that it is to lead is kept", () => {
  const world = serving(3, { servers: 3 });
  world.follow(1, 2);
  world.settle();
  world.follow(2, 2);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving);
  assert.equal(outputsOf(world, 2, "serving").at(-1)?.epoch, 2);
});

test("a refusal of an earlier attempt is passed over", () => {
  const world = new SmallWorld({ servers: 3, options: { initial: true } });
  world.startAll();
  world.follow(1, 2);
  world.arrive(1, 2);
  world.follow(2, 3);
  assert.equal(world.underWay(2, 1)[0]?.kind, "refuse");
  world.follow(1, 2);
  world.follow(2, 2);
  world.settle();
  assert.ok(world.at(1).serving && world.at(2).serving);
});

test("a join is forgotten with its connection, or when its sender leaves", () => {
  for (const leave of [true, false]) {
    const world = new SmallWorld({ servers: 3 });
    world.startAll();
    world.follow(1, 2);
    world.arrive(1, 2);
    if (leave) world.fire(1, "join");
    else world.cut(1, 2);
    world.settle();
    world.follow(2, 2);
    world.settle();
    assert.equal(recover(world.at(2).disk).promise, null, "one of three is no quorum, and chooses no epoch");
  }
});
