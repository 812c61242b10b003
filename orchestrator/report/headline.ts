/** A run in a line or three, for a terminal. */

import { printNumber } from "./chart/style.ts";
import type { Summary } from "./summary.ts";

export function headlineOf({
  verdict,
  leaders,
  latencyMs,
  outageMs,
  expectedLeaders,
  thresholds,
}: Summary): string {
  const mean = (phase: "before" | "after"): string => {
    const value = latencyMs.overall[phase]?.mean;
    return value === undefined ? "no writes" : `${printNumber(value)} ms a write`;
  };
  const before = `p${leaders.before ?? "?"} led: ${mean("before")}`;
  const after = leaders.after === null ? "" : `p${leaders.after} leads: ${mean("after")}`;
  const outage = outageMs === null ? "" : `${printNumber(outageMs.overall)} ms without service`;
  const surprise =
    leaders.after !== null && expectedLeaders.length > 0 && !expectedLeaders.includes(leaders.after)
      ? `the model expected ${expectedLeaders.map((server) => `p${server}`).join(" or ")}`
      : "";
  const wrong = verdict.findings
    .filter(({ judgement }) => judgement !== "valid")
    .map(({ property, judgement, reasons }) => `\n  ${judgement}: ${property}: ${reasons.join("; ")}`);
  const missed = thresholds
    .filter(({ passed }) => !passed)
    .map(
      ({ text, measuredMs }) =>
        `\n  missed: ${text}, measured ${measuredMs === null ? "nothing" : `${measuredMs} ms`}`,
    );
  const parts = [before, outage, after, surprise].filter((part) => part !== "");
  return `${verdict.judgement}: ${parts.join("; ")}${wrong.join("")}${missed.join("")}`;
}
