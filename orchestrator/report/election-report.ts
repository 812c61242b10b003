/** Everything that is made from the raw data of an election by itself; made again at any time. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conclude } from "../measure/conclude.ts";
import type { ElectionSummary } from "../measure/members/summary.ts";
import type { ElectionThreshold } from "../measure/members/threshold.ts";
import type { ElectionRecording } from "../recording/recording.ts";
import { beliefsOverTime } from "./chart/beliefs.ts";
import { messageTimeline } from "./chart/message-timeline.ts";
import { electionConditions, electionPage } from "./election-page.ts";
import { drawAll } from "./run-report.ts";
import { printJunit } from "./table-text.ts";

/** Writes into the run's folder and returns what `summary.json` holds. */
export async function writeElectionReport(
  folder: string,
  recording: ElectionRecording,
  thresholds: readonly ElectionThreshold[],
): Promise<ElectionSummary> {
  const conclusion = conclude(recording, thresholds);
  const { measures, verdict, summary } = conclusion;
  const under = electionConditions(recording.plan);
  const figures = await drawAll(folder, [
    beliefsOverTime(recording, measures, under),
    messageTimeline(recording, measures, under),
  ]);
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  writeFileSync(join(folder, "report.html"), electionPage({ ...conclusion, figures }));
  writeFileSync(
    join(folder, "junit.xml"),
    printJunit(`polebench ${under}`, verdict.findings, conclusion.thresholds),
  );
  return summary;
}
