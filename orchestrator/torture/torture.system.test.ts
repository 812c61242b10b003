import assert from "node:assert/strict";
import { test } from "node:test";
import { runIsolated } from "./isolation.ts";
import { DIRECTED } from "./mutants.ts";
import type { Torture } from "./plan.ts";
import { FAULT_KINDS } from "./schedule.ts";

/** `TORTURE_SECONDS=60` for one as long as those of `make torture`. */
const seconds = Number(process.env["TORTURE_SECONDS"] ?? 30);
const plan: Torture = {
  system: "polebench",
  mutant: null,
  topology: "3dc",
  seed: 7,
  seconds,
  clients: 8,
  kinds: FAULT_KINDS,
};

test("crashed, paused, cut off and robbed of their disks, servers lose nothing and agree", async () => {
  const { findings, acknowledged, faults } = await runIsolated(plan);
  assert.deepEqual(
    findings.filter(({ judgement }) => judgement !== "valid"),
    [],
  );
  assert.ok(acknowledged > 0);
  assert.ok(Object.keys(faults).length > 2, JSON.stringify(faults));
});

test("followers that acknowledge before it is on their disks are found out", async () => {
  const mutant = "acknowledge-before-durable";
  const kinds = DIRECTED[mutant] ?? [];
  const { findings } = await runIsolated({ ...plan, topology: "lan", mutant, kinds, seconds: 15 });
  const wrong = findings.filter(({ judgement, operations }) => judgement === "invalid" && operations > 0);
  assert.ok(
    wrong.some(({ property }) => /acknowledged write lost/.test(property)),
    JSON.stringify(findings),
  );
});
