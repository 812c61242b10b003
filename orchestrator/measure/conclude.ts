/**
 * What a recording says: the one way from what was seen to numbers, to whether they count, and to what is
 * kept of them.
 */

import type { Verdict } from "../check/verdict.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { type Expectation, expectations } from "./expectations.ts";
import { judgeRun } from "./judgement.ts";
import { type Measures, measure } from "./measures.ts";
import { type ServiceSummary, summarise } from "./summary.ts";
import { meets, type Threshold, type ThresholdOutcome } from "./threshold.ts";

export interface Conclusion {
  readonly recording: ServiceRecording;
  readonly measures: Measures;
  readonly verdict: Verdict;
  readonly expectations: readonly Expectation[];
  readonly thresholds: readonly ThresholdOutcome[];
  readonly summary: ServiceSummary;
}

export function conclude(recording: ServiceRecording, thresholds: readonly Threshold[] = []): Conclusion {
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
