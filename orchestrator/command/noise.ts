/**
 * `polebench noise`: many comparisons of an arm with itself, and in how many the test sees a difference; goes
 * on where it was stopped.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { recordOfRuns } from "../book/several.ts";
import { enter } from "../book/store.ts";
import { attemptsIn } from "../recording/attempts.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { ARMS, type Noise, noiseCells, noiseOf, type NoiseRun } from "../experiments/noise.ts";
import { planTrial } from "../plan/flags.ts";
import { armOf } from "../plan/plan.ts";
import { runsNeeded } from "../report/comparison-differences.ts";
import { conditions } from "../report/run-page.ts";
import { differs } from "../statistics/comparison.ts";
import { interruption } from "../terminal/interrupted.ts";
import { aligned } from "../terminal/table.ts";
import { CellRunner } from "./cell-runner.ts";
import { commandLine } from "./command-line.ts";
import { comparisonFolder } from "./comparison-runner.ts";
import { expectedSeconds } from "./expected-seconds.ts";
import { Progress } from "./progress.ts";
import { writeSummary } from "./results.ts";
import { chooseRuntime, countOf, demandOf, type RunFlags, withTrialFlags } from "./trial-flags.ts";

interface NoiseFlags extends RunFlags {
  readonly comparisons?: string;
}

export function addNoise(program: Command): void {
  withTrialFlags(program.command("noise"))
    .description("compares an arm with itself many times, and counts how often that differs")
    .option("--oracle <name>", "who is a good leader: a name, or ./mine.ts")
    .option("--comparisons <n>", "100 when not given; 10 live")
    .action(async (flags: NoiseFlags) => {
      process.exitCode = await noise(flags);
    });
}

async function noise(flags: NoiseFlags): Promise<number> {
  const runtime = await chooseRuntime(flags, demandOf(flags));
  const plan = planTrial(flags, runtime);
  const comparisons = countOf("comparisons", flags.comparisons, runtime === "sim" ? 100 : 10);
  const cells = noiseCells(plan, comparisons, countOf("repeat", flags.repeat, runsNeeded(ARMS)));
  const folder = comparisonFolder("noise", flags, plan);
  const cellAt = (id: string): string => join(folder, "cells", id);
  const expected = cells.map(({ id, plan: own }) => expectedSeconds(cellAt(id), own));
  const progress = new Progress(expected, flags.quiet === true);
  using stop = interruption();
  const runner = new CellRunner(progress, stop.signal, writeSummary);
  const runs: NoiseRun[] = [];
  const failed: string[] = [];
  for (const cell of cells) {
    if (stop.signal.aborted) break;
    const outcome = await runner.run(cell.id, cellAt(cell.id), cell.plan);
    if (outcome.kind === "failed") failed.push(`failed: ${cell.id}: ${outcome.reason}`);
    else if (outcome.summary !== null) runs.push({ ...cell, summary: outcome.summary });
  }
  progress.end();
  const found = noiseOf(runs);
  const what = `${armOf(plan)}, ${conditions(plan).replace(/, seed.*/, "")}`;
  const made = provenanceOf(
    commandLine(),
    runs.map(({ summary }) => summary.environment),
  );
  const kept = { format: "polebench noise 1", of: what, made, ...found };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "noise.json"), `${JSON.stringify(kept, null, 1)}\n`);
  const superseded = cells.reduce((sum, { id }) => sum + attemptsIn(cellAt(id)).length, 0);
  const paired = runs.map((run) => ({ ...run, repetition: run.comparison * MOST_PAIRS + run.repetition }));
  const record = recordOfRuns({ kind: "noise", what, command: commandLine(), runs: paired, superseded });
  if (record !== null) enter(flags.out ?? "reports", folder, record);
  if (flags.json === true) console.log(JSON.stringify(kept, null, 1));
  else console.log([...told(found, what), ...failed, `  ${join(folder, "noise.json")}`].join("\n"));
  if (stop.signal.aborted) return EXIT.interrupted;
  if (failed.length > 0 || found.differ > found.allowed) return EXIT.failed;
  return found.comparisons === comparisons ? EXIT.passed : EXIT.unknown;
}

/** So that no two repetitions of different comparisons are one pair. */
const MOST_PAIRS = 10_000;

function told({ comparisons, differ, allowed, found }: Noise, what: string): readonly string[] {
  const quantities = [...new Set(found.flat().map(({ quantity }) => quantity))];
  const rows = quantities.map((name) => {
    const own = found.flatMap((one) => one.filter(({ quantity }) => quantity === name));
    const same = own.filter(({ sameness }) => sameness === "same").length;
    return [name, String(own.filter(differs).length), String(same)];
  });
  return [
    `${differ} of ${comparisons} comparisons of an arm with itself differ, at most ${allowed} may (${what})`,
    ...aligned([["", "differ", "shown to be the same within 5 %"], ...rows]),
  ];
}
