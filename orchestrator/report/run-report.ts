/** Everything that is made from a run's raw data; made again at any time by `make report`. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conclude } from "../measure/conclude.ts";
import type { Measures } from "../measure/measures.ts";
import type { Threshold } from "../measure/threshold.ts";
import { attemptsIn } from "../recording/attempts.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { dispatchScatter } from "./chart/dispatch-scatter.ts";
import { drawPng, type Figure } from "./chart/figure.ts";
import { latencyDistribution } from "./chart/latency-distribution.ts";
import { acknowledgementCloseUp, latencyTimeline } from "./chart/latency-timeline.ts";
import { recoveryBars } from "./chart/recovery-bars.ts";
import { serverRecoveryBars } from "./chart/server-recovery-bars.ts";
import type { DrawnFigure } from "./page/page.ts";
import { conditions, runPage } from "./run-page.ts";
import { trafficCsv } from "./page/traffic.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { printCsv, printJunit } from "./table-text.ts";
import { armOf } from "../plan/plan.ts";

/** Writes into the run's folder and returns what `summary.json` holds. */
export async function writeRunReport(
  folder: string,
  recording: ServiceRecording,
  thresholds: readonly Threshold[],
): Promise<ServiceSummary> {
  const conclusion = conclude(recording, thresholds);
  const { measures, verdict, summary } = conclusion;
  const figures = await drawAll(folder, figuresOf(recording, measures));
  writeFileSync(join(folder, "traffic.csv"), printCsv(trafficCsv(measures.traffic)));
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  const attempts = attemptsIn(folder);
  writeFileSync(join(folder, "report.html"), runPage({ ...conclusion, figures, attempts }));
  writeFileSync(
    join(folder, "junit.xml"),
    printJunit(`polebench ${conditions(recording.plan)}`, verdict.findings, conclusion.thresholds),
  );
  return summary;
}

/** Each figure as PNG and as CSV. */
export async function drawAll(folder: string, figures: readonly Figure[]): Promise<readonly DrawnFigure[]> {
  const drawn: DrawnFigure[] = [];
  for (const figure of figures) {
    const png = await drawPng(figure);
    writeFileSync(join(folder, `${figure.name}.png`), png);
    writeFileSync(join(folder, `${figure.name}.csv`), printCsv(figure.table));
    drawn.push({ figure, png });
  }
  return drawn;
}

function figuresOf({ plan, operations }: ServiceRecording, measures: Measures): readonly Figure[] {
  const under = conditions(plan);
  const { recovery } = measures;
  const label = armOf(plan);
  return [
    latencyTimeline(measures, under),
    latencyDistribution(measures, under),
    ...(plan.faults.length === 0
      ? []
      : [acknowledgementCloseUp(measures, under), dispatchScatter(operations, measures, under)]),
    ...(recovery === null
      ? []
      : [
          recoveryBars([{ label, ...recovery }], under),
          serverRecoveryBars(recovery.servers, recovery.leader, under),
        ]),
  ];
}
