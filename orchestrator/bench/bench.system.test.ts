// lane: waits, 12 s
import assert from "node:assert/strict";
import test from "node:test";
import { comesGoesAndIsHeardOf } from "../testing/load-kinds.ts";
import { takeover } from "./takeover.ts";
import { startEnsemble } from "../system/ensemble.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { SYSTEMS } from "../system/catalog.ts";

test("three servers are loaded, lose their leader, and go on without it", async () => {
  await using ensemble = await startEnsemble(SYSTEMS.zookeeper, 3);
  await comesGoesAndIsHeardOf(
    ensemble,
    ensemble.servers.map(({ clientPort }) => clientPort),
  );
  const leader = await ensemble.leader();
  let killed = Infinity;
  let gone = Promise.resolve();
  const before = ensemble.use();
  const result = await ensemble.load(
    {
      ports: ensemble.servers.map(({ clientPort }) => clientPort),
      clients: 6,
      request: "setData",
      payloadBytes: 100,
      pace: { kind: "open", ratePerSecond: 200 },
      warmUpSeconds: 1,
      seconds: 8,
    },
    {
      begin: () => {
        killed = monotonic();
        gone = leader.kill();
      },
    },
  );
  await gone;
  assert.equal(leader.running, false);
  assert.equal(await leader.mode(), null);
  assert.notEqual((await ensemble.leader()).id, leader.id);
  assert.ok(before.residentBytes > 1e6);

  const due = 200 * result.seconds;
  assert.ok(result.acknowledged > 0, JSON.stringify({ ...result, samples: [] }));
  // What was acknowledged holds also what was due while the load warmed up, and the samples do not.
  const outcomes = result.samples.length + result.unknown;
  assert.ok(outcomes <= due + 1, `${outcomes} of ${due}`);
  assert.equal(result.refused, 0);
  const seen = takeover(result.samples, killed);
  assert.ok(seen !== null && seen.gapMs > 0, `${outcomes} of ${due}: ${JSON.stringify(seen)}`);

  leader.start();
  await ensemble.ready();
  assert.equal(await leader.mode(), "follower");
});
