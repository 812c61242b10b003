/** `polebench report`: makes every chart and page of a run again, from its raw data. */

import { join } from "node:path";
import type { Command } from "commander";
import { readRecording } from "../recording/run-folder.ts";
import { headlineOf } from "../report/headline.ts";
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
      const thresholds = thresholdsOf(threshold, [...recording.plan.topology.sites.keys()]);
      const summary = await writeRunReport(folder, recording, thresholds);
      console.log(`${headlineOf(summary)}\n  ${join(folder, "report.html")}`);
      process.exitCode = exitCodeOf([summary]);
    });
}
