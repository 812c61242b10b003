// lane: waits, 90 s
// Trials of recipes with real processes on machines of their own: leaders are killed or stand still, another
// leads, and what servers were asked for that is what the formulas say.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensembleLeaders } from "./beside.ts";
import { planRecipes } from "./flags.ts";
import { missingFor } from "./members/programs.ts";
import { writeRecipeReport } from "./report.ts";
import { textOf } from "./text.ts";
import { runRecipes } from "./trial.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-recipe-test-"));
after(() => rmSync(folder, { recursive: true }));

test("a chain and a priority election over 3dc: leaders are killed, or stand still and go on", async () => {
  const plan = await planRecipes({
    topology: "3dc",
    recipe: "chain,priority",
    members: "3",
    strategy: "site-order:fnal,slac",
    fault: "kill,hang",
    repeat: "1",
    timeout: "4000",
    takeover: "100",
    within: "2000",
  });
  const outcome = await runRecipes(plan, new AbortController().signal, () => {});
  const beside = await ensembleLeaders(plan, new AbortController().signal, "a test");
  const summary = await writeRecipeReport(folder, outcome, "a test", beside);
  // Somebody beside the service has read every term and who became ready in it.
  const read = (name: string): number => outcome.written.filter(({ path }) => path.endsWith(name)).length;
  assert.ok(read("/leader/elected") >= 3 && read("/leader/last") >= 3);
  assert.ok(beside.every(({ outageMs }) => outageMs !== null && outageMs < plan.timeout));
  assert.deepEqual(summary.wrong, []);
  const [chain, priority] = outcome.courses;
  for (const { recipe, episodes } of outcome.courses) {
    assert.equal(episodes.length, 2);
    for (const { from, to, sinceEnd, theory } of episodes) {
      assert.notEqual(from, to);
      // Nothing is faster than the ways allow; the machine may be slow.
      assert.ok((sinceEnd ?? 0) > 0.8 * (theory?.ms ?? Infinity), `${recipe}: ${sinceEnd} ms`);
    }
  }
  assert.deepEqual(
    chain?.episodes.map(({ counts }) => [counts.notifications, counts.lists, counts.writes]),
    [
      [1, 1, 0],
      [1, 1, 0],
    ],
  );
  for (const { counts, stages } of priority?.episodes ?? []) {
    // Elected, PROGRESS and READY; who has just become the elector may ask for the time first.
    assert.ok(counts.writes === 3 || counts.writes === 4, String(counts.writes));
    // What one process saw is in order; two may be late by their own.
    assert.ok((stages.noticed ?? Infinity) < (stages.evaluated ?? 0));
    assert.ok((stages.elected ?? Infinity) < (stages.claimed ?? 0));
    assert.ok((stages.claimed ?? Infinity) < (stages.ready ?? 0));
    assert.ok((stages.takesOver ?? Infinity) < (stages.acts ?? 0));
  }
  assert.ok(summary.recipes.every(({ writes }) => writes.taken > 0));
  assert.match(textOf(summary), /chain {2,}kill/);
  assert.match(
    readFileSync(join(folder, "report.html"), "utf8"),
    /Elections of clients: chain, priority[^]*beside elections/,
  );
});

const missing = missingFor("kazoo") ?? missingFor("curator-latch");

test("ours, kazoo and Curator stand in one election, and lead in turn", {
  skip: missing ?? false,
}, async () => {
  const plan = await planRecipes({
    topology: "3dc",
    recipe: "chain+kazoo+curator-latch",
    members: "3",
    strategy: "first-id",
    fault: "kill,leave",
    repeat: "3",
    timeout: "4000",
    takeover: "0",
    within: "2000",
  });
  const { courses } = await runRecipes(plan, new AbortController().signal, () => {});
  const [course] = courses;
  assert.deepEqual(course?.wrong, []);
  assert.ok(course.writes.taken > 0);
  // Who was killed, or left, stands again as the last.
  assert.deepEqual(
    course.episodes.map(({ trouble, from, to }) => `${trouble} ${from} ${to}`),
    ["kill m1 m2", "kill m2 m3", "kill m3 m1", "leave m1 m2", "leave m2 m3", "leave m3 m1"],
  );
  // Ours, kazoo's and Curator's have ended before another begins.
  assert.deepEqual(
    course.episodes.filter(({ several }) => several > 0),
    [],
  );
});

test("what cannot be is said in a sentence", async () => {
  const right = {
    topology: "3dc",
    recipe: "chain",
    members: "3",
    strategy: "first-id",
    fault: "kill",
    repeat: "1",
    timeout: "4000",
    takeover: "0",
    within: "2000",
  };
  for (const [wrong, why] of [
    [{ recipe: "chian" }, /--recipe: there is no "chian", did you mean "chain"/],
    [{ fault: "kill-elector" }, /--fault: chain has neither elector nor candidate/],
    [{ fault: "explode" }, /--fault: there is no "explode"/],
    [
      { recipe: "chain+priority" },
      /--recipe: priority stands alone: in one election stand chain, kazoo, curator-/,
    ],
    [{ recipe: "chain+chain" }, /--recipe: chain\+chain names one of them twice/],
    [{ recipe: "curator-latch+curator-selector" }, /--recipe: Curator's latch and selector sort by latch-/],
    [{ recipe: "chain+kazoo+curator-latch", members: "2" }, /--members: "2" is no number from 3/],
    [{ members: "1" }, /--members: "1" is no number from 2/],
    [{ strategy: "fastest" }, /--strategy: there is no strategy "fastest"/],
    [{ watching: "some" }, /--watching: there is no "some"/],
    [{ strategy: "site-order:berlin" }, /--strategy: nobody is at "berlin"/],
    [{ topology: "lan", fault: "cut-site" }, /--fault: lan has one site/],
    [{ topology: "nowhere" }, /there is no topology "nowhere"/],
  ] as const) {
    await assert.rejects(planRecipes({ ...right, ...wrong }), why);
  }
});
