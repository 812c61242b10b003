/** Oracles whose score is a time, the shorter the better: those of distances, and what is made of them. */

import { type Duration, toMilliseconds } from "../core/time.ts";
import type { Round, Score } from "../core/score.ts";
import type { Oracle, View } from "./oracle.ts";
import { lessIsBetter, NONE } from "./order.ts";

export interface TimedOracle extends Oracle {
  /** Null when no quorum is within reach. */
  cost(view: View): Duration | null;
}

interface Timing {
  readonly cost: (view: View) => Duration | null;
  readonly ready: (view: View) => boolean;
  readonly explain: (view: View, round: Round) => Readonly<Record<string, number>>;
}

export const timed = ({ cost, ready, explain }: Timing): TimedOracle => ({
  cost,
  score(view) {
    const time = cost(view);
    return time === null ? NONE : [time];
  },
  compare: lessIsBetter,
  ready,
  explain,
  advantage: lessByShare,
  milliseconds: ([time]) => (time === undefined ? null : toMilliseconds(time as Duration)),
});

/** Of the first number; who reaches no quorum is worse than anybody. */
export function lessByShare([mine]: Score, [theirs]: Score): number {
  if (mine === undefined) return theirs === undefined ? 0 : -1;
  if (theirs === undefined) return 1;
  return theirs === mine ? 0 : (theirs - mine) / Math.max(theirs, mine);
}
