/** A run in a line or three, for a terminal. */

import { printNumber } from "./chart/style.ts";
import type { ServiceSummary } from "../measure/summary.ts";

export function headlineOf({
  verdict,
  leaders,
  latencyMs,
  outageMs,
  expectations,
  thresholds,
}: ServiceSummary): string {
  const mean = (phase: "before" | "after"): string => {
    const value = latencyMs.overall[phase]?.mean;
    return value === undefined ? "no writes" : `${printNumber(value)} ms a write`;
  };
  const before = `p${leaders.before ?? "?"} led: ${mean("before")}`;
  const after = leaders.after === null ? "" : `p${leaders.after} leads: ${mean("after")}`;
  const outage = outageMs === null ? "" : `${printNumber(outageMs.overall)} ms without service`;
  const wrong = verdict.findings
    .filter(({ judgement }) => judgement !== "valid")
    .map(({ property, judgement, reasons }) => `\n  ${judgement}: ${property}: ${reasons.join("; ")}`);
  const missed = thresholds
    .filter(({ passed }) => !passed)
    .map(
      ({ text, measuredMs }) =>
        `\n  missed: ${text}, measured ${measuredMs === null ? "nothing" : `${measuredMs} ms`}`,
    );
  const differing = expectations
    .filter(({ met }) => !met)
    .map(({ what, found }) => `\n  differs: ${what}: ${found}`);
  const parts = [before, outage, after].filter((part) => part !== "");
  return `${verdict.judgement}: ${parts.join("; ")}${wrong.join("")}${missed.join("")}${differing.join("")}`;
}
