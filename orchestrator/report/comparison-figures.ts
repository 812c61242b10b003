/** The charts of a comparison: what each arm means for latency, site by site, and for the outage. */

import { STAGES } from "../measure/recovery.ts";
import { mean } from "../statistics/summary.ts";
import { comparisonBars } from "./chart/comparison-bars.ts";
import type { Figure } from "./chart/figure.ts";
import { recoveryBars } from "./chart/recovery-bars.ts";
import { type Group, leadersOf, meanAfterOf, modelAfterOf, outageOf, valueOf } from "./compared-run.ts";

/** `kind`: what the arms are. */
export function comparisonFigures(
  groups: readonly Group[],
  conditions: string,
  kind = "oracle",
): readonly Figure[] {
  const label = ({ arm, runs }: Group): string => `${arm}\nled by ${leadersOf(runs)}`;
  const sites = Object.keys(
    groups.find(({ runs }) => runs.length > 0)?.runs[0]?.summary.latencyMs.sites ?? {},
  );
  const stages = groups.flatMap(({ arm, runs }) => {
    const recoveries = runs.flatMap(({ summary }) => (summary.recovery === null ? [] : [summary.recovery]));
    if (recoveries.length === 0) return [];
    const means = STAGES.map(
      (stage) => [stage, mean(recoveries.map(({ stagesMs }) => stagesMs[stage]))] as const,
    );
    return [
      {
        label: arm,
        stages: Object.fromEntries(means) as Record<(typeof STAGES)[number], number>,
        unaccountedMs: mean(recoveries.map((one) => one.unaccountedMs)),
      },
    ];
  });
  return [
    comparisonBars({
      name: "mean-latency",
      title: `Mean latency after the fault, by ${kind}`,
      caption: `whiskers: 95 % interval of the median of runs; ${conditions}`,
      unit: "mean latency (ms)",
      model: ALLOWED,
      series: ["all writes"],
      bars: groups.map((group) => ({
        label: label(group),
        values: [valueOf(group.runs, meanAfterOf, modelAfterOf)],
      })),
    }),
    comparisonBars({
      name: "site-latency",
      title: `Mean latency after the fault, by ${kind} and site of the client`,
      caption: `whiskers: 95 % interval of the median of runs; ${conditions}`,
      unit: "mean latency (ms)",
      model: ALLOWED,
      series: sites,
      bars: groups.map((group) => ({
        label: label(group),
        values: sites.map((site) =>
          valueOf(
            group.runs,
            ({ summary }) => summary.latencyMs.sites[site]?.after?.mean ?? null,
            ({ summary }) => summary.physics.after?.sites[site]?.modelMs ?? null,
          ),
        ),
      })),
    }),
    comparisonBars({
      name: "outage",
      title: `Outage after the fault, by ${kind}`,
      caption: `until the first write is answered; whiskers: 95 % interval of their median; ${conditions}`,
      unit: "outage (ms)",
      series: ["until the first client was served"],
      model: "its bound: what physics allows, and machines",
      bars: groups.map((group) => ({
        label: label(group),
        values: [valueOf(group.runs, outageOf, ({ summary }) => summary.physics.outageBoundMs)],
      })),
    }),
    ...(stages.length === 0 ? [] : [recoveryBars(stages, `means; ${conditions}`)]),
  ];
}

const ALLOWED = "what physics allows the leaders, mean over runs";
