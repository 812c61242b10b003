/** A judge that says what it was told to: an election needs no more to be rehearsed. */

import type { Judge, Round, Score } from "../../core/score.ts";

export interface Script {
  /** Greater is better. */
  readonly score: number | ((round: Round) => number);
  readonly ready?: () => boolean;
}

export const scripted = ({ score, ready = () => true }: Script): Judge => ({
  ready,
  score: (round): Score => [typeof score === "number" ? score : score(round)],
  compare: ([a = 0], [b = 0]) => a - b,
  explain: () => ({}),
});
