// lane: waits, 25 s
// Trials of recipes with real processes: leaders are killed or stand still, and another leads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SYSTEMS } from "../system/catalog.ts";
import { pageOf } from "./page.ts";
import { type RecipeTrial, runRecipe } from "./trial.ts";

const quiet = new AbortController().signal;

const trial = (given: Partial<RecipeTrial>): RecipeTrial => ({
  recipe: "priority",
  members: 3,
  trouble: "kill",
  times: 1,
  timeout: 2000,
  takeover: 50,
  ...given,
});

for (const recipe of ["chain", "priority"] as const) {
  test(`${recipe}: a leader is killed, and the next acts when its session has ended`, async () => {
    const { summary } = await runRecipe(trial({ recipe }), SYSTEMS.polebench, quiet, () => {});
    const [handover = assert.fail("nothing was handed over")] = summary.handovers;
    assert.notEqual(handover.from, handover.to);
    assert.ok(
      handover.sessionEnd !== null && handover.sessionEnd < handover.acts + 500,
      JSON.stringify(handover),
    );
    assert.equal(handover.elected !== null && handover.progress !== null, recipe === "priority");
    assert.deepEqual(summary.wrong, []);
    assert.ok(summary.writes.taken > 0);
    assert.match(pageOf(summary), /until the next acts: median \d+/);
  });
}

test("priority: leaders' processes stand still, go on, and are turned away or know better", async () => {
  const { summary } = await runRecipe(trial({ trouble: "hang" }), SYSTEMS.polebench, quiet, () => {});
  assert.equal(summary.handovers.length, 1);
  assert.deepEqual(summary.wrong, []);
});
