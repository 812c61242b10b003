import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEMS } from "../bench/system.ts";
import { runIsolated } from "./isolation.ts";
import type { FaultKind } from "./schedule.ts";

/**
 * Servers of 3.8.0 that change their leader with what they have in memory now and then lose transactions (see
 * `reports/torture`); these come back with what they have on disk, or with nothing and get all of it.
 */
const KINDS: readonly FaultKind[] = ["crash of all", "wiped disk"];
/**
 * Once it was accused all the same, and whether rightly is not known: nothing was kept of
 * its logs. So a check that accuses wrongly now and then passes here; one that does so mostly does not.
 */
const SEEDS = [1, 2, 3];

test("Apache ZooKeeper, a system of known quality, is accused of nothing that it promises", {
  skip: SYSTEMS.zookeeper.missing() ?? false,
}, async () => {
  const accusations: string[] = [];
  for (const seed of SEEDS) {
    const accused = await tortured(seed);
    if (accused === "") return;
    console.log(`    seed ${seed}, which ZooKeeper did not stand: ${accused}`);
    accusations.push(accused);
  }
  assert.fail(accusations.join("\n"));
});

/** What a run of it is found guilty of. */
async function tortured(seed: number): Promise<string> {
  const { findings, acknowledged, faults } = await runIsolated({
    system: "zookeeper",
    mutant: null,
    topology: "lan",
    seed,
    seconds: 25,
    clients: 8,
    kinds: KINDS,
  });
  assert.ok(acknowledged > 0);
  assert.ok(Object.keys(faults).length > 0);
  return findings
    .filter(({ judgement }) => judgement !== "valid")
    .map(({ judgement, property, reasons }) => `${judgement}: ${property}: ${reasons.join("; ")}`)
    .join("\n");
}
