/** An oracle and what its server sees just now, put together: all that an election may ask about scores. */

import { assert } from "../core/assert.ts";
import type { Judge } from "../core/score.ts";
import type { Instant } from "../core/time.ts";
import type { Oracle, View } from "./oracle.ts";

export function judge(oracle: Oracle, look: (now: Instant) => View): Judge {
  return {
    ready: (now) => oracle.ready(look(now)),
    score(round, now) {
      const score = oracle.score(look(now), round);
      // Not a number compares with nothing: one such score and servers no longer agree who is best.
      assert(!score.some(Number.isNaN), `the oracle gave a score that is not a number: ${score.join(" ")}`);
      return score;
    },
    compare: (a, b) => oracle.compare(a, b),
    explain: (round, now) => oracle.explain(look(now), round),
  };
}
