/**
 * What the processes of a run used while the load lasted: what measures must not disturb what it measures.
 */

import { coreShare, isMeasuring } from "../../measure/expectations.ts";
import type { ResourceUse } from "../../recording/recording.ts";
import type { TrialPlan } from "../../trial/plan.ts";
import { printNumber } from "../chart/style.ts";
import { type Markup, table } from "./markup.ts";
import { paragraph } from "./page.ts";

/** Nothing in virtual time, where there are no processes. */
export function resourceUse(resources: readonly ResourceUse[], plan: TrialPlan): readonly Markup[] {
  if (resources.length === 0) return [];
  const own = percentOf(resources.filter(isMeasuring), plan);
  return [
    paragraph(
      `The orchestrator and the clients together took ${own} of one core, ` +
        `at ${plan.workload.ratePerSecond} writes/s.`,
    ),
    table(
      ["process", "CPU", "of one core", "peak memory"],
      resources.map((use) => [
        use.who,
        `${use.cpuSeconds.toFixed(1)} s`,
        percentOf([use], plan),
        `${printNumber(use.peakBytes / 2 ** 20)} MiB`,
      ]),
    ),
  ];
}

const percentOf = (of: readonly ResourceUse[], plan: TrialPlan): string =>
  `${(100 * coreShare(of, plan)).toFixed(1)} %`;
