import assert from "node:assert/strict";
import { test } from "node:test";
import { type Torture, torture } from "./torture.ts";

/** `TORTURE_SECONDS=180` for the long version. */
const seconds = Number(process.env["TORTURE_SECONDS"] ?? 30);
const plan: Torture = { system: "polebench", mutant: null, seed: 7, seconds, servers: 3, clients: 6 };

test("real servers are crashed, paused and robbed of their disks; nothing is lost, all agree", async () => {
  const { verdict, acknowledged, strikes } = await torture(plan);
  const wrong = verdict.findings.filter(({ judgement }) => judgement === "invalid");
  assert.deepEqual(wrong, []);
  assert.ok(acknowledged > 0);
  assert.ok(strikes.size > 3, [...strikes.keys()].join(", "));
});

test("a server that executes commits in reverse is found out", async () => {
  const { verdict } = await torture({ ...plan, mutant: "reorder-commits", seconds: 10 });
  assert.equal(verdict.judgement, "invalid");
});
