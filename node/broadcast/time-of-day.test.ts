/** The time of day of transactions, given by leaders whose clocks do not agree. */

import assert from "node:assert/strict";
import test from "node:test";
import { recover } from "../core/recovery.ts";
import { seconds, timeOfDay } from "../core/time.ts";
import { serving } from "../testing/broadcast/story.ts";

test("the time of day of transactions never goes back, also under a leader whose clock does", () => {
  const times: number[] = [];
  const world = serving(1, {
    servers: 3,
    watch: (event) => {
      if (event.kind !== "sent" || event.message.kind !== "propose") return;
      for (const { time } of event.message.transactions) times.push(time);
    },
  });
  world.now = (world.now + seconds(5)) as typeof world.now;
  world.write(1);
  world.settle();
  world.crash(3);
  world.start(3);
  world.connect(2, 3);
  world.follow(2, 3);
  world.follow(3, 3);
  world.settle();
  world.write(3);
  world.settle();
  assert.equal(times[0], 5000);
  assert.ok(times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0)));
  assert.equal(times.at(-1), 5000, "its own clock begins with its life, at 0");
});

test("nor does it after lives in which everybody's log was let go by a checkpoint", () => {
  const times: number[] = [];
  const world = serving(1, { servers: 3, options: { checkpointTransactions: 1, historyBytes: 0 } });
  world.now = (world.now + seconds(5)) as typeof world.now;
  world.write(1);
  world.settle();
  for (const id of world.servers) world.crash(id);
  for (const id of world.servers) {
    assert.equal(recover(world.at(id).disk).transactions.length, 0);
    world.start(id);
  }
  for (const [a, b] of [
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const)
    world.connect(a, b);
  world.elect(2);
  world.settle();
  world.write(2);
  world.settle();
  for (const { time } of world.at(3).service.executed) times.push(time);
  assert.deepEqual(times, [5000, 5000]);
});

test("it follows a wall clock that is set ahead, and waits for one that is set back", () => {
  const world = serving(1, { servers: 3 });
  const writeAt = (shown: number): number | undefined => {
    world.step(1, { kind: "clock", timeOfDay: timeOfDay(shown) });
    world.now = (world.now + seconds(1)) as typeof world.now;
    world.write(1);
    world.settle();
    return world.at(3).service.executed.at(-1)?.time;
  };
  assert.deepEqual([3_600_000, 60_000, 3_700_000].map(writeAt), [3_601_000, 3_601_000, 3_701_000]);
});
