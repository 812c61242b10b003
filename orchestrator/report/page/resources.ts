/**
 * What the processes of a run used while the load lasted: what measures must not disturb what it measures.
 */

import { coreShare, isMeasuring } from "../../measure/expectations.ts";
import type { Statistics } from "../../statistics/summary.ts";
import type { ResourceUse } from "../../recording/recording.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import { printMs, printNumber } from "../chart/style.ts";
import { type Markup, table } from "./markup.ts";
import { paragraph } from "./page.ts";

/** Nothing in virtual time, where there are no processes. */
export function resourceUse(
  resources: readonly ResourceUse[],
  plan: ServicePlan,
  lateness: Statistics | null,
): readonly Markup[] {
  if (resources.length === 0) return [];
  const own = percentOf(resources.filter(isMeasuring), plan);
  return [
    paragraph(
      `The orchestrator and the clients together took ${own} of one core, ` +
        `at ${plan.subject.workload.ratePerSecond} writes/s.${sentLate(lateness)}`,
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

/** A client that is late makes every latency longer, and nobody else's fault. */
const sentLate = (lateness: Statistics | null): string =>
  lateness === null
    ? ""
    : ` In steady state a request left its client ${printMs(lateness.p50)} after it was due (median; ` +
      `p99 ${printMs(lateness.p99)}, at most ${printMs(lateness.max)}), which counts as its latency.`;

const percentOf = (of: readonly ResourceUse[], plan: ServicePlan): string =>
  `${(100 * coreShare(of, plan)).toFixed(1)} %`;
