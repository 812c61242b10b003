/** What every election of the lectures must come to. */

import assert from "node:assert/strict";
import type { Outcome } from "../../theory/outcome.ts";

/** Nothing is under way any more, one leads, who has this id, and everybody follows it. */
export function agreed({ ended, leaders, followed }: Outcome, ids: readonly number[], leader: number): void {
  assert.equal(ended, "quiet");
  assert.deepEqual(
    leaders.map(({ place }) => ids[place]),
    [leader],
  );
  assert.deepEqual(new Set(followed.map((one) => one?.leader)), new Set([leader]));
}
