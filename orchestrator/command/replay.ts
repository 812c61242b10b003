/** `polebench replay`: a run that is over as one file, to be watched and played with, offline. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { isServiceRecording, type ServiceRecording } from "../recording/recording.ts";
import { readRecording } from "../recording/run-folder.ts";
import type { Threshold } from "../measure/threshold.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { pageOf } from "../view/document.ts";
import { recordsOf } from "../view/from-recording.ts";
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
  if (!isServiceRecording(recording))
    throw new RefusedInput(`${folder}: it is of an election by itself, and only services can be replayed`);
  const sites = [...recording.plan.topology.sites.keys()];
  console.log(writeReplay(folder, recording, thresholdsOf(thresholdsBefore(folder), sites)));
}

/** The file. */
export function writeReplay(
  folder: string,
  recording: ServiceRecording,
  thresholds: readonly Threshold[],
): string {
  const file = join(folder, "replay.html");
  const name = recording.plan.topology.name;
  writeFileSync(
    file,
    pageOf(`${name}, played again`, [{ name, records: recordsOf(recording, thresholds) }]).text,
  );
  return file;
}
