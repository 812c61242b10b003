// lane: works, 5 s
// Mistakes in elections: four of each at least, each found, and the page says by what.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SLOW_MUTANTS } from "../core/mutant.ts";
import { keptTable, tableOfMistakes } from "../testing/election/mutants-main.ts";
import { MISTAKES } from "../testing/election/mutants.ts";

test("each is found, and README.md has what `make mutants WORLDS=election WRITE=1` writes", () => {
  const { table, survivors } = tableOfMistakes();
  assert.equal(survivors, 0, table);
  assert.equal(keptTable(), table);
});

test("each election of the lectures has four at least", () => {
  for (const [election, mistakes] of Map.groupBy(MISTAKES, (one) => one.election))
    assert.ok(mistakes.length >= 4, `${election} has ${mistakes.length}`);
});

/** A token that goes round for ever is found among all small worlds of LCR. */
const ELSEWHERE = ["orphan-token-kept"];

test("all that only stories and small worlds can find are there", () => {
  const hunted = new Set([...MISTAKES.map(({ mutant }) => mutant as string), ...ELSEWHERE]);
  assert.deepEqual(
    Object.keys(SLOW_MUTANTS).filter((mutant) => !hunted.has(mutant)),
    [],
  );
});
