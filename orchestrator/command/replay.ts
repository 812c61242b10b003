/** `polebench replay`: a run that is over as one file, to be watched and played with, offline. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { conclude } from "../measure/conclude.ts";
import type { ElectionSummary } from "../measure/members/summary.ts";
import { type ElectionRecording, isServiceRecording, type ServiceRecording } from "../recording/recording.ts";
import { readRecording } from "../recording/run-folder.ts";
import type { Threshold } from "../measure/threshold.ts";
import { pageOf } from "../view/document.ts";
import { recordsOf } from "../view/from-recording.ts";
import { groupRecordsOf } from "../view/group-stream.ts";
import type { StreamRecord } from "../view/record.ts";
import { electionThresholdsOf } from "./election-thresholds.ts";
import { thresholdsBefore } from "./kept-summary.ts";
import { thresholdsOf } from "./trial-flags.ts";

export function addReplay(program: Command): void {
  program
    .command("replay <folder>")
    .description("writes a run that is over as one page with a slider: replay.html in its folder")
    .action((folder: string) => replay(folder));
}

function replay(folder: string): void {
  const recording = readRecording(folder);
  if (!isServiceRecording(recording)) {
    const thresholds = electionThresholdsOf(thresholdsBefore(folder));
    console.log(writeGroupReplay(folder, recording, conclude(recording, thresholds).summary));
    return;
  }
  const sites = [...recording.plan.topology.sites.keys()];
  console.log(writeReplay(folder, recording, thresholdsOf(thresholdsBefore(folder), sites)));
}

/** The file, of an election by itself. */
export const writeGroupReplay = (
  folder: string,
  recording: ElectionRecording,
  summary: ElectionSummary,
): string => written(folder, recording.plan.topology.name, groupRecordsOf(recording, summary));

/** The file. */
export function writeReplay(
  folder: string,
  recording: ServiceRecording,
  thresholds: readonly Threshold[],
): string {
  return written(folder, recording.plan.topology.name, recordsOf(recording, thresholds));
}

function written(folder: string, name: string, records: readonly StreamRecord[]): string {
  const file = join(folder, "replay.html");
  writeFileSync(file, pageOf(`${name}, played again`, [{ name, records }]).text);
  return file;
}
