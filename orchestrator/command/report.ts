/**
 * `polebench report`: makes every chart and page again, of a run, of repetitions, a comparison or a paper.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readRecording } from "../recording/run-folder.ts";
import type { ComparedRun, OtherAttempt } from "../report/compared-run.ts";
import { writeComparison } from "../report/comparison-report.ts";
import { electionHeadlineOf, headlineOf } from "../report/headline.ts";
import { writeElectionReport } from "../report/election-report.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { type ElectionRecording, isServiceRecording, type ServiceRecording } from "../recording/recording.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { writeRunReport } from "../report/run-report.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { type AskedComparison, readAsked } from "./invocation.ts";
import { attemptsAt, cellFolder } from "./cell-runner.ts";
import { thresholdsBefore } from "./kept-summary.ts";
import { paperAgain } from "./paper.ts";
import { electionThresholdsOf } from "./election-thresholds.ts";
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
  const recording = readRecording(folder);
  const given = words.length === 0 ? thresholdsBefore(folder) : words;
  const [headline, summary] = isServiceRecording(recording)
    ? await serviceAgain(folder, recording, given)
    : await electionAgain(folder, recording, given);
  console.log(`${headline}\n  ${join(folder, "report.html")}`);
  return exitCodeOf([summary]);
}

async function serviceAgain(folder: string, recording: ServiceRecording, words: readonly string[]) {
  const thresholds = thresholdsOf(words, [...recording.plan.topology.sites.keys()]);
  const summary = await writeRunReport(folder, recording, thresholds);
  return [headlineOf(summary), summary] as const;
}

async function electionAgain(folder: string, recording: ElectionRecording, words: readonly string[]) {
  const summary = await writeElectionReport(folder, recording, electionThresholdsOf(words));
  return [electionHeadlineOf(summary), summary] as const;
}

async function runAgain(folder: string, words: readonly string[]): Promise<ServiceSummary> {
  const recording = readRecording(folder);
  if (!isServiceRecording(recording)) throw new RefusedInput(`${folder}: it is of an election by itself`);
  const given = words.length === 0 ? thresholdsBefore(folder) : words;
  return (await serviceAgain(folder, recording, given))[1];
}

/** Of as many runs as there are: it may have been stopped on the way. */
async function comparisonAgain(
  folder: string,
  { title, command, kind, notes, arms, cells }: AskedComparison,
  words: readonly string[],
): Promise<number> {
  const runs: ComparedRun[] = [];
  const attempts: OtherAttempt[] = [];
  for (const cell of cells) {
    const own = cell.folder ?? cellFolder(cell);
    attempts.push(...attemptsAt(folder, cell.id, own));
    if (!existsSync(join(folder, own, "measured.json"))) continue;
    runs.push({ ...cell, folder: own, summary: await runAgain(join(folder, own), words) });
  }
  const { text } = await writeComparison(folder, { title, command, kind, notes, runs, attempts, arms });
  console.log(`${text}\n  ${join(folder, "report.html")}`);
  return exitCodeOf(runs.map(({ summary }) => summary));
}
