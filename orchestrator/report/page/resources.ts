/**
 * What the processes of a run used while the load lasted: what measures must not disturb what it measures.
 */

import type { ResourceUse } from "../../recording/recording.ts";
import type { TrialPlan } from "../../trial/plan.ts";
import { printNumber } from "../chart/style.ts";
import { type Markup, table } from "./markup.ts";
import { paragraph } from "./page.ts";

/** Nothing in virtual time, where there are no processes. */
export function resourceUse(resources: readonly ResourceUse[], plan: TrialPlan): readonly Markup[] {
  if (resources.length === 0) return [];
  const measuring = resources.filter(({ who }) => who === "orchestrator" || who.startsWith(CLIENTS));
  const seconds = measuring.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const { ratePerSecond } = plan.workload;
  return [
    paragraph(
      `The orchestrator and the clients together took ${percentOfCore(seconds, plan)} of one core, ` +
        `at ${ratePerSecond} writes/s.`,
    ),
    table(
      ["process", "CPU", "of one core", "peak memory"],
      resources.map(({ who, cpuSeconds, peakBytes }) => [
        who,
        `${cpuSeconds.toFixed(1)} s`,
        percentOfCore(cpuSeconds, plan),
        `${printNumber(peakBytes / 2 ** 20)} MiB`,
      ]),
    ),
  ];
}

/** It is counted from the beginning of the load to its end. */
const percentOfCore = (cpuSeconds: number, { phases }: TrialPlan): string =>
  `${((100 * cpuSeconds * 1e6) / phases.duration).toFixed(1)} %`;

/** As the machines of clients are called. */
const CLIENTS = "clients";
