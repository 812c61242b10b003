/**
 * Carries out the cells of a comparison, one after the other, and writes its page; goes on where it stopped.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "#node/core/exit-code.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import type { Threshold } from "../measure/threshold.ts";
import { type Between, judgeBetween, printBetween } from "../book/between.ts";
import { recordOfRuns } from "../book/several.ts";
import { enter } from "../book/store.ts";
import type { Cell } from "../plan/matrix.ts";
import type { ServicePlan } from "../plan/plan.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { writeRecording } from "../recording/run-folder.ts";
import { comparisonsOf, runsNeeded } from "../report/comparison-differences.ts";
import { type ComparedKind, writeComparison } from "../report/comparison-report.ts";
import { writeRunReport } from "../report/run-report.ts";
import { interruption } from "../terminal/interrupted.ts";
import { cellFolder, CellRunner } from "./cell-runner.ts";
import { commandLine } from "./command-line.ts";
import { expectedSeconds } from "./expected-seconds.ts";
import { writeAsked } from "./invocation.ts";
import { Progress } from "./progress.ts";
import type { RunFlags } from "./trial-flags.ts";
import { type WatchFlags, Watching } from "./watching.ts";

export interface PlannedComparison {
  readonly folder: string;
  readonly title: string;
  readonly kind: ComparedKind;
  /** In the order in which they are shown. */
  readonly arms: readonly string[];
  readonly cells: readonly Cell[];
  readonly thresholds: readonly Threshold[];
  readonly between?: readonly Between[];
  /** No further run after one that misses a threshold. */
  readonly stopAtMiss?: boolean;
  /** Sentences that its page says besides. */
  readonly notes?: readonly string[];
}

/** The exit code. */
export async function runComparison(
  flags: RunFlags & WatchFlags,
  planned: PlannedComparison,
): Promise<number> {
  const { folder, title, kind, arms, cells, thresholds, notes = [] } = planned;
  const { between = [], stopAtMiss = false } = planned;
  const asked = cells.map(({ id, arm, repetition }) => ({ id, arm, repetition }));
  const format = "polebench comparison asked 1";
  const command = commandLine();
  writeAsked(folder, { format, command, title, kind, notes: [...notes], arms: [...arms], cells: asked });
  const expected = cells.map((cell) => expectedSeconds(join(folder, cellFolder(cell)), cell.plan));
  const progress = new Progress(expected, flags.quiet === true);
  using stop = interruption();
  await using watching = await Watching.begin(flags);
  const write = (into: string, recording: ServiceRecording): Promise<ServiceSummary> => {
    writeRecording(into, recording);
    return writeRunReport(into, recording, thresholds);
  };
  const runner = new CellRunner(progress, stop.signal, write, watching);
  const { runs, attempts, failed } = await runner.runAll(cells, folder, ({ thresholds: met }) =>
    stopAtMiss && met.some(({ passed }) => !passed) ? "a threshold was missed, so no more were run" : null,
  );
  progress.end();
  const { text } = await writeComparison(folder, { title, command, kind, notes, runs, attempts, arms });
  const what = title.replace(/^.*?: /, "");
  const superseded = attempts.length;
  const record = recordOfRuns({ kind: KINDS[kind], what, command, runs, superseded });
  if (record !== null) enter(flags.out ?? "reports", folder, record);
  const judged = between.map((one) => judgeBetween(one, runs));
  if (judged.length > 0) writeFileSync(join(folder, "between.json"), `${JSON.stringify(judged, null, 1)}\n`);
  if (flags.json === true) console.log(readFileSync(join(folder, "comparison.json"), "utf8").trimEnd());
  else
    watching.say(
      [text, ...judged.map(printBetween), ...failed, `  ${join(folder, "report.html")}`].join("\n"),
    );
  if (stop.signal.aborted) return EXIT.interrupted;
  const verdicts = new Set(judged.map(({ judgement }) => judgement));
  if (failed.length > 0 || verdicts.has("failed")) return EXIT.failed;
  const code = exitCodeOf(runs.map(({ summary }) => summary));
  return code === EXIT.passed && verdicts.has("not told") ? EXIT.unknown : code;
}

/** Who did not say how often hears how often it will be, and why. */
export function tellRepetitions({ repeat, quiet }: RunFlags, arms: number): void {
  if (repeat || quiet === true) return;
  const [runs, comparisons] = [runsNeeded(arms), comparisonsOf(arms)];
  console.error(`${runs} runs of each arm: fewer cannot tell a difference among ${comparisons} comparisons`);
}

/** Of what a comparison is called in the book. */
const KINDS = { oracle: "comparison", election: "elections" } as const;

/** Below `reports`, so that the same question finds what it left. */
export const comparisonFolder = (
  what: string,
  { out = "reports" }: RunFlags,
  { topology, runtime, seed }: ServicePlan,
): string => join(out, what, [topology.name, runtime, `seed-${seed}`].join("-"));
