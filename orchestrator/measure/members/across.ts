/** What repetitions of one election by itself have in common: each quantity with its 95 % intervals. */

import { bootstrap } from "../../statistics/interval.ts";
import { middleOf, NOT_ENOUGH_RUNS } from "../../statistics/middle.ts";
import { mean } from "../../statistics/summary.ts";
import type { ElectionSummary } from "./summary.ts";

interface Quantity {
  readonly what: string;
  readonly unit: string;
  readonly of: (summary: ElectionSummary) => number | null;
}

const SENT: readonly Quantity[] = [
  { what: "announcements in the first round", unit: "", of: ({ messages }) => messages.firstRound },
  { what: "announcements until latched", unit: "", of: ({ messages }) => messages.untilLatched },
  { what: "of the time in disagreement", unit: "%", of: ({ disagreement }) => 100 * disagreement.share },
  { what: "false alarms", unit: "", of: ({ disagreement }) => disagreement.falseAlarms },
];

/**
 * A head, and a row for each quantity that some run has; runs in which something never came do not count in
 * it.
 */
export function acrossElections(summaries: readonly ElectionSummary[]): readonly (readonly string[])[] {
  const causes = summaries[0]?.disturbances ?? [];
  const delays = causes.flatMap(({ what }, at): readonly Quantity[] => [
    { what: `agreed after ${what}`, unit: "ms", of: (one) => one.disturbances[at]?.agreedMs ?? null },
    { what: `latched after ${what}`, unit: "ms", of: (one) => one.disturbances[at]?.latchedMs ?? null },
  ]);
  const rows = [...delays, ...SENT].flatMap(({ what, unit, of }) => {
    const values = summaries.map(of).filter((value) => value !== null);
    const found = middleOf(values);
    if (found === null) return [];
    const told = (value: number): string => `${value.toFixed(2)} ${unit}`.trim();
    const [ofMean, ofMedian] = [within(bootstrap(values)), within(found)];
    return [[what, told(mean(values)), ofMean, told(found.middle), ofMedian, String(values.length)]];
  });
  return [["", "mean", "95 %", "median", "95 %", "runs"], ...rows];
}

function within(of: { readonly low: number | null; readonly high: number | null } | null): string {
  const { low = null, high = null } = of ?? {};
  return low === null || high === null ? NOT_ENOUGH_RUNS : `${low.toFixed(2)} to ${high.toFixed(2)}`;
}
