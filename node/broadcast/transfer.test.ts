// lane: works, 1 s
/**
 * A leader gives its place away while it serves: what waits, who is told, and what happens when it comes to
 * nothing.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ServerId } from "../core/identity.ts";
import { eventsOf, outputsOf, reasonAt, serving, writesOf } from "../testing/broadcast/story.ts";
import type { SmallWorld } from "../testing/broadcast/world.ts";

const transfer = (world: SmallWorld, from: number, to: number): void =>
  world.step(from, { kind: "request", request: { kind: "transfer", to: to as ServerId } });

const keptAt = (world: SmallWorld, id: number): string[] =>
  eventsOf(world, id, "kept").map(({ to, reason }) => `${to}: ${reason}`);

describe("a leader gives its place away", () => {
  test("once the next has everything all are told whom to follow; what was kept back has no place", () => {
    const world = serving(1, { servers: 3 });
    const before = world.write(2);
    world.arrive(2, 1);
    transfer(world, 1, 2);
    const own = world.write(1);
    const forwarded = world.write(3);
    world.arrive(3, 1);
    assert.ok(world.at(1).serving, "nothing is on 2's disk yet");
    world.settle();
    for (const id of [1, 2, 3]) {
      assert.equal(outputsOf(world, id, "lost").at(-1)?.heir, 2, `server ${id}`);
      assert.deepEqual(writesOf(world, id), [before]);
    }
    assert.equal(reasonAt(world, 1), "it gives its place to server 2");
    assert.equal(reasonAt(world, 3), "the leader gives its place to server 2");
    world.elect(2);
    world.settle();
    assert.deepEqual(outputsOf(world, 3, "serving").at(-1)?.leader, 2);
    assert.ok(own < forwarded, "both are for those who asked to ask again");
    for (const id of [1, 2, 3]) assert.deepEqual(writesOf(world, id), [before]);
  });

  test("who does not come level in time does not lead, and what was kept back goes on in its order", () => {
    const world = serving(1, { servers: 3 });
    const first = world.write(1);
    transfer(world, 1, 2);
    const second = world.write(3);
    const third = world.write(1);
    world.settleAmong(1, 3);
    assert.deepEqual(writesOf(world, 1), [first], "3 is a quorum with 1, and 2 has heard nothing");
    world.fire(1, "transfer");
    world.settle();
    assert.deepEqual(keptAt(world, 1), ["2: it did not come level in time"]);
    const [, ...later] = writesOf(world, 1);
    assert.deepEqual(new Set(later), new Set([second, third]));
    for (const id of [2, 3]) assert.deepEqual(writesOf(world, id), writesOf(world, 1));
  });

  test("whose connection ends meanwhile does not lead", () => {
    const world = serving(1, { servers: 3 });
    world.write(1);
    transfer(world, 1, 2);
    const kept = world.write(1);
    world.cut(1, 2);
    world.settle();
    assert.deepEqual(keptAt(world, 1), ["2: it has gone"]);
    assert.equal(writesOf(world, 3).at(-1), kept);
    assert.ok(!world.at(1).timers.has("transfer"));
  });

  test("a leader that loses its quorum names nobody", () => {
    const world = serving(1, { servers: 3 });
    world.write(1);
    transfer(world, 1, 2);
    world.cut(1, 3);
    world.cut(1, 2);
    assert.equal(outputsOf(world, 1, "lost").at(-1)?.heir, null);
  });

  test("what cannot be is refused, with the reason", () => {
    const world = serving(1, { servers: 3 });
    transfer(world, 2, 3);
    assert.deepEqual(keptAt(world, 2), ["3: this server does not lead"]);
    transfer(world, 1, 1);
    transfer(world, 1, 7);
    world.write(1);
    transfer(world, 1, 2);
    transfer(world, 1, 3);
    assert.deepEqual(keptAt(world, 1), [
      "1: it leads already",
      "7: it does not follow, or is not level",
      "3: server 2 is about to lead",
    ]);
  });

  test("who is about to lead is about to lead, also when it is asked for again", () => {
    const world = serving(1, { servers: 3 });
    world.write(1);
    transfer(world, 1, 2);
    transfer(world, 1, 2);
    assert.deepEqual([keptAt(world, 1), eventsOf(world, 1, "handing").length], [[], 1]);
    world.settle();
    assert.equal(outputsOf(world, 1, "lost").at(-1)?.heir, 2);
  });

  test("a leader that names itself, or who is not there, is not believed", () => {
    for (const to of [1, 9]) {
      const world = serving(1, { servers: 3 });
      world.forge(1, 2, { kind: "handOver", to: to as ServerId });
      assert.equal(reasonAt(world, 2), `it hands over to server ${to}`);
      assert.equal(outputsOf(world, 2, "lost").at(-1)?.heir, null);
    }
  });
});
