import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEMS } from "../bench/system.ts";
import { runIsolated } from "./isolation.ts";
import type { FaultKind } from "./schedule.ts";

/**
 * Servers of 3.8.0 that change their leader with what they have in memory now and then lose transactions (see
 * `reports/torture`); these come back with what they have on disk, or with nothing and get all of it.
 */
const kinds: readonly FaultKind[] = ["crash of all", "wiped disk"];

test("Apache ZooKeeper, a system of known quality, is accused of nothing that it promises", {
  skip: SYSTEMS.zookeeper.missing() ?? false,
}, async () => {
  const { findings, acknowledged, faults } = await runIsolated({
    system: "zookeeper",
    mutant: null,
    topology: "lan",
    seed: 1,
    seconds: 25,
    clients: 8,
    kinds,
  });
  assert.deepEqual(
    findings.filter(({ judgement }) => judgement !== "valid"),
    [],
  );
  assert.ok(acknowledged > 0);
  assert.ok(Object.keys(faults).length > 0);
});
