/** `polebench compare`: several oracles side by side; goes on where it was stopped. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { oracles } from "#node/oracle/catalog.ts";
import type { Threshold } from "../measure/threshold.ts";
import { writeRecording } from "../recording/run-folder.ts";
import { type ComparedRun, writeComparison } from "../report/comparison-report.ts";
import { conditions } from "../report/run-page.ts";
import { writeRunReport } from "../report/run-report.ts";
import type { Summary } from "../report/summary.ts";
import { RefusedInput, suggestion } from "../topology-problem.ts";
import { exitCodeOf, EXIT } from "../trial/exit-code.ts";
import { planTrial } from "../trial/flags.ts";
import { type ArmName, type Cell, cellsOf } from "../trial/matrix.ts";
import { runTrial } from "../trial/run.ts";
import { keptSummary } from "./kept-summary.ts";
import { Progress } from "./progress.ts";
import { commandLine } from "./run.ts";
import { chooseRuntime, countOf, type RunFlags, thresholdsOf, withTrialFlags } from "./trial-flags.ts";

interface CompareFlags extends RunFlags {
  readonly oracles: string;
}

const DEFAULT_ARMS = "history,rotating,request,consensus,latency,worst-case";

export function addCompare(program: Command): void {
  withTrialFlags(program.command("compare"))
    .description("runs several oracles in random order with paired seeds; goes on where it was stopped")
    .option("--oracles <list>", "and zookeeper, the other system", DEFAULT_ARMS)
    .action(async (flags: CompareFlags) => {
      process.exitCode = await compare(flags);
    });
}

async function compare(flags: CompareFlags): Promise<number> {
  const arms = armsOf(flags.oracles || DEFAULT_ARMS);
  const runtime = chooseRuntime({ ...flags, ...(arms.includes("zookeeper") ? { system: "zookeeper" } : {}) });
  const plan = planTrial(flags, runtime);
  const thresholds = thresholdsOf(flags.threshold ?? [], [...plan.topology.sites.keys()]);
  const cells = cellsOf(plan, arms, countOf("repeat", flags.repeat, 5));
  const folder = join(
    flags.out ?? "reports",
    "compare",
    [plan.topology.name, runtime, `seed-${plan.seed}`].join("-"),
  );
  const progress = new Progress(cells.length, flags.quiet === true);
  const runs: ComparedRun[] = [];
  let interrupted = false;
  const stop = (): void => {
    if (interrupted) process.exit(EXIT.interrupted);
    interrupted = true;
  };
  process.on("SIGINT", stop);
  for (const cell of cells) {
    if (interrupted) break;
    progress.begin(cell.id);
    const cellFolder = join(folder, "cells", cell.id);
    const summary =
      keptSummary(cellFolder, cell.plan) ??
      (await runCell(cellFolder, cell, thresholds, (phase) => progress.begin(`${cell.id}: ${phase}`)));
    runs.push({ id: cell.id, arm: cell.arm, repetition: cell.repetition, summary });
    progress.finish(cell.id);
    // Virtual time never yields by itself, and a signal waits for the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  process.off("SIGINT", stop);
  progress.end();
  mkdirSync(folder, { recursive: true });
  const title = `Oracles compared: ${conditions(plan)
    .replace(/, oracle [^,]+/, "")
    .replace(/, seed.*/, "")}`;
  const { text } = await writeComparison(folder, title, runs, arms);
  if (flags.json === true) console.log(readFileSync(join(folder, "comparison.json"), "utf8").trimEnd());
  else console.log(`${text}\n  ${join(folder, "report.html")}`);
  return interrupted ? EXIT.interrupted : exitCodeOf(runs.map(({ summary }) => summary));
}

function armsOf(list: string): readonly ArmName[] {
  const valid: readonly ArmName[] = [...(Object.keys(oracles) as ArmName[]), "zookeeper"];
  return list.split(",").map((given) => {
    const found = valid.find((name) => name === given.trim());
    if (found === undefined)
      throw new RefusedInput(`--oracles: there is no "${given}"${suggestion(given, valid)}`);
    return found;
  });
}

async function runCell(
  folder: string,
  { plan }: Cell,
  thresholds: readonly Threshold[],
  progress: (phase: string) => void,
): Promise<Summary> {
  const recording = await runTrial(plan, commandLine(), progress);
  writeRecording(folder, recording);
  return writeRunReport(folder, recording, thresholds);
}
