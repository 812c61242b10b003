// lane: alone, 40 s: a capacity is that of the whole machine
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { SYSTEMS } from "../system/catalog.ts";
import { crowded } from "./crowded.ts";
import { type Overloaded, overloaded } from "./overload.ts";

const silent = (): void => {};

test("a crowd loses its leader, and neither sessions nor watches", async (t) => {
  const crowding = {
    sessions: 600,
    watches: 6000,
    znodes: 20_000,
    payloadBytes: 100,
    restSeconds: 1,
    windowSeconds: 8,
  };
  const { pings, busyPings, outage, residentMb } = await crowded(SYSTEMS.polebench, crowding, silent);
  t.diagnostic(JSON.stringify(outage));
  // How long they are is this machine's: told above, and here only that both were seen.
  assert.ok(outage.gapMs > 0 && outage.stallMs > 0);
  assert.ok(pings.count > 50 && busyPings.count > 50);
  assert.ok(residentMb.watches > 10);
  assert.equal(outage.expired, 0);
  assert.ok(outage.moved >= 150, `${outage.moved} sessions were at the leader`);
  assert.deepEqual([outage.created, outage.told], [1000, 1000]);
});

/** Writes of 1 kB: what three servers take on at most before they stop reading (`MOST_OWED` of the front). */
const TAKEN_ON = 3 * 4000;
/** What lies in the sockets of the flood's six clients then, at both ends. */
const IN_SOCKETS = 6 * 8000;

/**
 * At least three times too much: twice of it is offered, and once more when the machine, busy with something
 * else while its capacity was measured, could do more after all.
 */
async function overloadedIndeed(t: TestContext): Promise<Overloaded> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const overloading = { times: 6, seconds: 5, payloadBytes: 1024 };
    const seen = await overloaded(SYSTEMS.polebench, overloading, silent);
    t.diagnostic(JSON.stringify(seen));
    if (seen.acknowledged < seen.offered / 3) return seen;
  }
  return assert.fail("it was never too much");
}

test("three times too much: nobody is turned away or waits for ever, and then it is over", async (t) => {
  const seen = await overloadedIndeed(t);
  const { modest, acknowledged, capacity, cpuMs, residentMb } = seen;
  assert.ok(acknowledged > capacity / 10, `${acknowledged} and not ${capacity} a second: it has broken down`);
  assert.deepEqual([seen.refused, seen.unknown], [0, 0], "nobody is turned away");
  // By what this machine got done, and two seconds for its pauses: a queue that grew would be 10 s long.
  const boundMs = (writes: number): number => 2000 + (1000 * writes) / acknowledged;
  assert.ok(modest.during.count > 0 && modest.during.p99Ms < boundMs(TAKEN_ON), `${modest.during.p99Ms} ms`);
  assert.ok(
    seen.admittedMs.p99 > 0 && seen.admittedMs.p99 < boundMs(TAKEN_ON + IN_SOCKETS),
    `${seen.admittedMs.p99} ms`,
  );
  assert.ok(modest.after.count > 10, "served again");
  assert.ok(modest.after.p50Ms < 2 * modest.before.p99Ms + 10, "as before");
  // In processor time and in bytes, which a busy machine does not change.
  assert.ok(cpuMs.overloaded < 2 * cpuMs.capacity, `${cpuMs.overloaded} and not ${cpuMs.capacity} ms`);
  assert.ok(residentMb.overloaded < residentMb.capacity + 300, `${residentMb.overloaded} MB`);
});
