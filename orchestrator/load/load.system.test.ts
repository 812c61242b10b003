import assert from "node:assert/strict";
import test from "node:test";
import { SYSTEMS } from "../bench/system.ts";
import { crowded } from "./crowded.ts";
import { overloaded } from "./overload.ts";

const silent = (): void => {};

test("a crowd loses its leader, and neither sessions nor watches", async () => {
  const crowding = {
    sessions: 600,
    watches: 6000,
    znodes: 20_000,
    payloadBytes: 100,
    restSeconds: 1,
    windowSeconds: 8,
  };
  const { pings, busyPings, outage, residentMb } = await crowded(SYSTEMS.polebench, crowding, silent);
  assert.ok(pings.count > 50 && busyPings.count > 50);
  assert.ok(residentMb.watches > 10);
  assert.equal(outage.expired, 0);
  assert.ok(outage.moved >= 150, `${outage.moved} sessions were at the leader`);
  assert.deepEqual([outage.created, outage.told], [1000, 1000]);
});

test("three times too much: nobody is turned away, and all is as before after it", async (t) => {
  const overloading = { times: 3, seconds: 3, payloadBytes: 1024 };
  const seen = await overloaded(SYSTEMS.polebench, overloading, silent);
  t.diagnostic(JSON.stringify(seen));
  const { modest, cpuMs, residentMb } = seen;
  assert.deepEqual([seen.refused, seen.unknown], [0, 0], "nobody is turned away");
  assert.ok(modest.during.count > 0);
  assert.ok(modest.after.p50Ms < modest.during.p99Ms, "it is over");
  // In processor time and in bytes, which a busy machine does not change.
  assert.ok(cpuMs.overloaded < 2 * cpuMs.capacity, `${cpuMs.overloaded} and not ${cpuMs.capacity} ms`);
  assert.ok(residentMb.overloaded < residentMb.capacity + 300, `${residentMb.overloaded} MB`);
});
