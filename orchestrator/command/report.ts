/** `polebench report`: makes every chart and page of a run again, from its raw data. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readRecording } from "../recording/run-folder.ts";
import { headlineOf } from "../report/headline.ts";
import { parseSummary } from "../report/summary.ts";
import { writeRunReport } from "../report/run-report.ts";
import { exitCodeOf } from "../trial/exit-code.ts";
import { thresholdsOf } from "./trial-flags.ts";

interface ReportFlags {
  readonly threshold: readonly string[];
}

export function addReport(program: Command): void {
  program
    .command("report <folder>")
    .description("makes the charts and pages of a run again from its raw data")
    .option("--threshold <words...>", "such as 'outage<2s'", [])
    .action(async (folder: string, { threshold }: ReportFlags) => {
      const recording = readRecording(folder);
      const words = threshold.length === 0 ? thresholdsBefore(folder) : threshold;
      const thresholds = thresholdsOf(words, [...recording.plan.topology.sites.keys()]);
      const summary = await writeRunReport(folder, recording, thresholds);
      console.log(`${headlineOf(summary)}\n  ${join(folder, "report.html")}`);
      process.exitCode = exitCodeOf([summary]);
    });
}

/** What the run was asked to meet stands in its summary. */
function thresholdsBefore(folder: string): readonly string[] {
  const file = join(folder, "summary.json");
  const summary = existsSync(file) ? parseSummary(readFileSync(file, "utf8")) : "";
  return typeof summary === "string" ? [] : summary.thresholds.map(({ text }) => text);
}
