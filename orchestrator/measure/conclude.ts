/**
 * What a recording says: the one way from what was seen to numbers, to whether they count, and to what is
 * kept of them. Every kind of subject brings its own of each.
 */

import type { Verdict } from "../check/verdict.ts";
import {
  type ElectionRecording,
  isServiceRecording,
  type Recording,
  type ServiceRecording,
} from "../recording/recording.ts";
import { type Expectation, expectations } from "./expectations.ts";
import { judgeRun } from "./judgement.ts";
import { type Measures, measure } from "./measures.ts";
import { electionExpectations } from "./members/expectations.ts";
import { judgeElection } from "./members/judgement.ts";
import { type ElectionMeasures, measureElection } from "./members/measures.ts";
import { type ElectionSummary, summariseElection } from "./members/summary.ts";
import { electionMeets, type ElectionThreshold } from "./members/threshold.ts";
import { type ServiceSummary, summarise } from "./summary.ts";
import { meets, type Threshold, type ThresholdOutcome } from "./threshold.ts";

interface Concluded<R extends Recording, Measured, Summarised> {
  readonly recording: R;
  readonly measures: Measured;
  readonly verdict: Verdict;
  readonly expectations: readonly Expectation[];
  readonly thresholds: readonly ThresholdOutcome[];
  readonly summary: Summarised;
}

export type ServiceConclusion = Concluded<ServiceRecording, Measures, ServiceSummary>;
export type ElectionConclusion = Concluded<ElectionRecording, ElectionMeasures, ElectionSummary>;

/** What a kind of subject brings. */
interface Kind<R extends Recording, Measured, Summarised, Demand> {
  measure(recording: R): Measured;
  judge(recording: R, measures: Measured): Verdict;
  expect(recording: R, measures: Measured): readonly Expectation[];
  meets(demand: Demand, measures: Measured): ThresholdOutcome;
  summarise(found: Omit<Concluded<R, Measured, Summarised>, "summary">): Summarised;
}

const service: Kind<ServiceRecording, Measures, ServiceSummary, Threshold> = {
  measure,
  judge: judgeRun,
  expect: expectations,
  meets,
  summarise,
};

const election: Kind<ElectionRecording, ElectionMeasures, ElectionSummary, ElectionThreshold> = {
  measure: measureElection,
  judge: judgeElection,
  expect: electionExpectations,
  meets: electionMeets,
  summarise: summariseElection,
};

export function conclude(recording: ServiceRecording, thresholds?: readonly Threshold[]): ServiceConclusion;
export function conclude(
  recording: ElectionRecording,
  thresholds?: readonly ElectionThreshold[],
): ElectionConclusion;
export function conclude(
  recording: Recording,
  thresholds: readonly (Threshold | ElectionThreshold)[] = [],
): ServiceConclusion | ElectionConclusion {
  return isServiceRecording(recording)
    ? concluded(service, recording, thresholds as readonly Threshold[])
    : concluded(election, recording, thresholds as readonly ElectionThreshold[]);
}

function concluded<R extends Recording, Measured, Summarised, Demand>(
  kind: Kind<R, Measured, Summarised, Demand>,
  recording: R,
  demands: readonly Demand[],
): Concluded<R, Measured, Summarised> {
  const measures = kind.measure(recording);
  const found = {
    recording,
    measures,
    verdict: kind.judge(recording, measures),
    expectations: kind.expect(recording, measures),
    thresholds: demands.map((demand) => kind.meets(demand, measures)),
  };
  return { ...found, summary: kind.summarise(found) };
}
