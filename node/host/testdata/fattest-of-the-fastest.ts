/**
 * An oracle of one's own, for --oracle: the lowest class of mean latency, 10 ms wide, and among equals the
 * longest history: "the fattest among the fastest" of the POLE paper's section 5.
 */

import type { Round } from "../../core/score.ts";
import { counterOf, epochOf } from "../../core/zxid.ts";
import { latency } from "../../oracle/latency.ts";
import type { Oracle, View } from "../../oracle/oracle.ts";
import { moreIsBetter } from "../../oracle/order.ts";

/** Negative, so that more is better for all three numbers alike. */
function negativeClass(view: View, round: Round): number {
  const [microseconds = Number.MAX_SAFE_INTEGER] = latency.score(view, round);
  return -Math.floor(microseconds / 10_000);
}

export const oracle: Oracle = {
  score: (view, round) => [negativeClass(view, round), epochOf(view.lastZxid), counterOf(view.lastZxid)],
  compare: moreIsBetter,
  ready: (view) => latency.ready(view),
  explain: (view, round) => ({ ...latency.explain(view, round), latencyClass: -negativeClass(view, round) }),
};
