/** Carries out the cells of several questions, one after the other, as one command that can be stopped. */

import { join } from "node:path";
import type { Cell } from "../plan/matrix.ts";
import { writeRecording } from "../recording/run-folder.ts";
import type { ComparedRun, OtherAttempt } from "../report/compared-run.ts";
import { writeRunReport } from "../report/run-report.ts";
import { interruption } from "../terminal/interrupted.ts";
import { cellFolder, CellRunner } from "./cell-runner.ts";
import { expectedSeconds } from "./expected-seconds.ts";
import { Progress } from "./progress.ts";

export interface Group {
  readonly name: string;
  /** Its id names its group, too, so that no two share a folder. */
  readonly cells: readonly Cell[];
}

export interface GroupsRun {
  /** In the order of the groups. */
  readonly of: readonly {
    readonly runs: readonly ComparedRun[];
    readonly attempts: readonly OtherAttempt[];
  }[];
  /** A sentence each. */
  readonly failed: readonly string[];
  readonly isInterrupted: boolean;
}

export const inGroup = (name: string, cells: readonly Cell[]): readonly Cell[] =>
  cells.map((cell) => ({ ...cell, id: `${name} ${cell.id}` }));

export async function runGroups(
  groups: readonly Group[],
  folder: string,
  quiet: boolean,
): Promise<GroupsRun> {
  const all = groups.flatMap(({ cells }) => cells);
  const expected = all.map((cell) => expectedSeconds(join(folder, cellFolder(cell)), cell.plan));
  const progress = new Progress(expected, quiet);
  using stop = interruption();
  const runner = new CellRunner(progress, stop.signal, (into, recording) => {
    writeRecording(into, recording);
    return writeRunReport(into, recording, []);
  });
  const of: GroupsRun["of"][number][] = [];
  const failed: string[] = [];
  for (const { cells } of groups) {
    const { runs, attempts, failed: here } = await runner.runAll(cells, folder);
    failed.push(...here);
    of.push({ runs, attempts });
  }
  progress.end();
  return { of, failed, isInterrupted: stop.signal.aborted };
}
