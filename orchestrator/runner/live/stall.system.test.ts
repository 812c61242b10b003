// lane: quiet, 15 s: what stalls a request must not be another test
/**
 * The question of etcd's issue 12680, asked of the running servers: a thousand requests a second, come what
 * may, and the leader is killed. Who asks during the outage waits for its end; nobody waits for longer.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { measure } from "../../measure/measures.ts";
import { planTrial } from "../../plan/flags.ts";
import { runLive } from "./trial.ts";

const THREE_SERVERS = `
sites:
  here: { servers: [p1, p2, p3], load: 1 }
lan: { rtt: 100us }
`;
/** Less than any retry, timeout of a client's or silence of a server's; more than a busy machine's pauses. */
const STALL_MS = 500;
/** Of 5 s after the kill at 1,000 a second. */
const LOOKED_AT = 4000;

test("besides the outage itself no request stalls", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-test-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const topology = join(folder, "three.yaml");
  writeFileSync(topology, THREE_SERVERS);
  const flags = { topology, rate: "1000/s", warmUp: "1s", settle: "1s", duration: "8s", killAt: "3s" };
  const plan = planTrial(flags, "netns");
  const recording = await runLive(plan, { command: "test", signal: new AbortController().signal });
  const { outage, stall } = measure(recording);
  assert.ok(outage !== null && stall !== null, "served again");
  t.diagnostic(`outage ${outage.ms} ms; stall ${stall.ms} ms, the worst of ${stall.requests} requests`);
  assert.ok(stall.requests >= LOOKED_AT, `${stall.requests} requests were due at servers that were back`);
  assert.ok(stall.ms < STALL_MS, JSON.stringify(stall));
  // Also of those that were due earlier: nobody is forgotten in the outage.
  const late = recording.operations.filter(
    ({ intended, completed }) => completed - Math.max(intended, outage.endedAt) > STALL_MS * 1e3,
  );
  assert.deepEqual(late, []);
});
