/**
 * What a recording says: the one way from what was seen to numbers, to whether they count, and to what is
 * kept of them.
 */

import type { Verdict } from "../check/verdict.ts";
import type { Recording } from "../recording/recording.ts";
import { type Expectation, expectations } from "./expectations.ts";
import { judgeRun } from "./judgement.ts";
import { type Measures, measure } from "./measures.ts";
import { type Summary, summarise } from "./summary.ts";
import { meets, type Threshold, type ThresholdOutcome } from "./threshold.ts";

export interface Conclusion {
  readonly recording: Recording;
  readonly measures: Measures;
  readonly verdict: Verdict;
  readonly expectations: readonly Expectation[];
  readonly thresholds: readonly ThresholdOutcome[];
  readonly summary: Summary;
}

export function conclude(recording: Recording, thresholds: readonly Threshold[] = []): Conclusion {
  const measures = measure(recording);
  const found = {
    recording,
    measures,
    verdict: judgeRun(recording, measures),
    expectations: expectations(recording, measures),
    thresholds: thresholds.map((threshold) => meets(threshold, measures)),
  };
  return { ...found, summary: summarise(found) };
}
