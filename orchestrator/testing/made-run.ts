/**
 * Runs of an experiment made by hand for tests: the cell's plan, and a summary that says what the test wants.
 */

import { madeRecording } from "./made-recording.ts";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import type { ExperimentCell, ExperimentRun } from "../experiments/experiment.ts";

const { summary: made } = conclude(madeRecording());

export const madeRun = (cell: ExperimentCell, change: Partial<ServiceSummary>): ExperimentRun => ({
  ...cell,
  summary: { ...made, ...change },
});

/** Latencies of which only the sites' means after the fault are told. */
export function latenciesOf(means: ReadonlyMap<string, number>): ServiceSummary["latencyMs"] {
  const after = (mean: number) => ({
    count: 1,
    mean,
    p50: mean,
    p95: mean,
    p99: mean,
    max: mean,
    atLeast: [],
  });
  const sites = [...means].map(([site, mean]) => [site, { before: null, during: null, after: after(mean) }]);
  return { overall: { before: null, during: null, after: null }, sites: Object.fromEntries(sites) };
}
