/**
 * `polebench report`: makes every chart and page again, of a run, of repetitions, a comparison or a paper.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readRecording } from "../recording/run-folder.ts";
import type { ComparedRun } from "../report/compared-run.ts";
import { writeComparison } from "../report/comparison-report.ts";
import { headlineOf } from "../report/headline.ts";
import { parseSummary, type ServiceSummary } from "../measure/summary.ts";
import { writeRunReport } from "../report/run-report.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { type AskedComparison, readAsked } from "./invocation.ts";
import { cellFolder } from "./compare.ts";
import { paperAgain } from "./paper.ts";
import { thresholdsOf } from "./trial-flags.ts";

interface ReportFlags {
  readonly threshold: readonly string[];
}

export function addReport(program: Command): void {
  program
    .command("report <folder>")
    .description(
      "makes the charts and pages of a run, repetitions, a comparison or a paper again from what they left",
    )
    .option("--threshold <words...>", "such as 'outage<2s'", [])
    .action(async (folder: string, { threshold }: ReportFlags) => {
      process.exitCode = await report(folder, threshold);
    });
}

async function report(folder: string, words: readonly string[]): Promise<number> {
  const asked = readAsked(folder);
  if (asked?.format === "polebench paper asked 1") return paperAgain(folder, asked);
  if (asked !== null) return comparisonAgain(folder, asked, words);
  const summary = await runAgain(folder, words);
  console.log(`${headlineOf(summary)}\n  ${join(folder, "report.html")}`);
  return exitCodeOf([summary]);
}

async function runAgain(folder: string, words: readonly string[]): Promise<ServiceSummary> {
  const recording = readRecording(folder);
  const given = words.length === 0 ? thresholdsBefore(folder) : words;
  return writeRunReport(folder, recording, thresholdsOf(given, [...recording.plan.topology.sites.keys()]));
}

/** Of as many runs as there are: it may have been stopped on the way. */
async function comparisonAgain(
  folder: string,
  { title, command, arms, cells }: AskedComparison,
  words: readonly string[],
): Promise<number> {
  const runs: ComparedRun[] = [];
  for (const cell of cells) {
    const own = cell.folder ?? cellFolder(cell);
    if (!existsSync(join(folder, own, "measured.json"))) continue;
    runs.push({ ...cell, folder: own, summary: await runAgain(join(folder, own), words) });
  }
  const { text } = await writeComparison(folder, { title, command, runs, arms });
  console.log(`${text}\n  ${join(folder, "report.html")}`);
  return exitCodeOf(runs.map(({ summary }) => summary));
}

/** What the run was asked to meet stands in its summary. */
function thresholdsBefore(folder: string): readonly string[] {
  const file = join(folder, "summary.json");
  const summary = existsSync(file) ? parseSummary(readFileSync(file, "utf8")) : "";
  return typeof summary === "string" ? [] : summary.thresholds.map(({ text }) => text);
}
