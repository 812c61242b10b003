/** What repetitions of one election by itself have in common: each quantity with its 95 % interval. */

import { bootstrap } from "../../statistics/interval.ts";
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
    const interval = bootstrap(values);
    if (interval === null) return [];
    const [mean, low, high] = [interval.mean, interval.low, interval.high].map((value) => value.toFixed(2));
    return [[what, `${mean} ${unit}`.trim(), `${low} to ${high}`, String(values.length)]];
  });
  return [["", "mean", "95 %", "runs"], ...rows];
}
