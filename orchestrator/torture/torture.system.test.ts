// lane: alone, 110 s: ten servers under faults take both processors
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { hunt } from "./hunt.ts";
import { runIsolated } from "./isolation.ts";
import { DIRECTED, type Directed } from "./mutants.ts";
import type { Torture } from "./plan.ts";
import { STRIKES } from "./schedule.ts";

/** All at once: not two minutes in all. */
const seconds = 60;
const plan: Torture = {
  system: "polebench",
  mutant: null,
  topology: "lan",
  seed: 7,
  seconds,
  clients: 8,
  kinds: STRIKES,
};

suite("crashed, paused, cut off and robbed of their disks", { concurrency: true }, () => {
  for (const topology of ["lan", "3dc"]) {
    test(`the servers of ${topology} lose nothing and agree`, async () => {
      const { findings, acknowledged, faults } = await runIsolated({ ...plan, topology });
      const wrong = findings.filter(({ judgement }) => judgement !== "valid");
      assert.deepEqual(wrong, [], JSON.stringify(wrong));
      assert.ok(acknowledged > 0);
      assert.ok(Object.keys(faults).length > 5, JSON.stringify(faults));
    });
  }

  test("followers that acknowledge before it is on their disks are found out, and only they", async () => {
    const mutant = "acknowledge-before-durable";
    const { isCaught, found, runs, control } = await hunt(
      mutant,
      DIRECTED[mutant] as Directed,
      { ...plan, seconds: 15 },
      runIsolated,
    );
    assert.ok(isCaught, JSON.stringify([found, runs.map(({ findings }) => findings), control.findings]));
  });
});
