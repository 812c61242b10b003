/** A run in a line or three, for a terminal. */

import { printMs, printNumber } from "./chart/style.ts";
import type { ElectionSummary } from "../measure/members/summary.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { printMeasured } from "../measure/threshold.ts";

export function headlineOf(summary: ServiceSummary): string {
  const { leaders, latencyMs, outageMs } = summary;
  const mean = (phase: "before" | "after"): string => {
    const found = latencyMs.overall[phase];
    if (found === null) return "no writes";
    return `${found.atLeast.includes("mean") ? "at least " : ""}${printNumber(found.mean)} ms a write`;
  };
  const before = `p${leaders.before ?? "?"} led: ${mean("before")}`;
  const after = leaders.after === null ? "" : `p${leaders.after} leads: ${mean("after")}`;
  const outage = outageMs === null ? "" : `${printNumber(outageMs.overall)} ms without service`;
  return withProblems(
    summary,
    [before, outage, after].filter((part) => part !== ""),
  );
}

export function electionHeadlineOf(summary: ElectionSummary): string {
  const { disturbances, messages, leader, living } = summary;
  const settled = disturbances.map(({ what, agreedMs, leader: of }) =>
    agreedMs === null
      ? `after ${what} they never agreed`
      : `after ${what} all followed ${of} in ${printMs(agreedMs)}`,
  );
  const end = leader === null ? `${living} differ in the end` : `${leader} leads ${living}`;
  return withProblems(summary, [...settled, end, `${messages.sent} announcements`]);
}

type Judged = Pick<ServiceSummary, "verdict" | "thresholds" | "expectations">;

/** With what is wrong, missed or differs, each in a line. */
function withProblems({ verdict, thresholds, expectations }: Judged, parts: readonly string[]): string {
  const wrong = verdict.findings
    .filter(({ judgement }) => judgement !== "valid")
    .map(({ property, judgement, reasons }) => `\n  ${judgement}: ${property}: ${reasons.join("; ")}`);
  const missed = thresholds
    .filter(({ passed }) => !passed)
    .map(({ text, ...found }) => `\n  missed: ${text}, measured ${printMeasured(found)}`);
  const differing = expectations
    .filter(({ met }) => !met)
    .map(({ what, found }) => `\n  differs: ${what}: ${found}`);
  return `${verdict.judgement}: ${parts.join("; ")}${wrong.join("")}${missed.join("")}${differing.join("")}`;
}
