/** `polebench paper`: the experiments of the POLE paper; goes on where it was stopped. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { EXPERIMENTS, NOT_A_TRIAL } from "../experiments/catalog.ts";
import type { Experiment, ExperimentRun, Setting } from "../experiments/experiment.ts";
import { judgeRun } from "../measure/judgement.ts";
import { measure } from "../measure/measures.ts";
import { environmentOf } from "../recording/environment.ts";
import { type PaperFigure, writePaperReport } from "../report/paper-report.ts";
import { type Summary, summarise } from "../report/summary.ts";
import { Interrupted } from "../testbed/live.ts";
import { RefusedInput, suggestion } from "../topology-problem.ts";
import { CannotRun, EXIT } from "../trial/exit-code.ts";
import type { TrialPlan } from "../trial/plan.ts";
import { printPlan } from "../trial/plan-text.ts";
import { runTrial } from "../trial/run.ts";
import { keptSummary } from "./kept-summary.ts";
import { Progress } from "./progress.ts";
import { commandLine } from "./run.ts";
import { chooseRuntime, countOf } from "./trial-flags.ts";

interface PaperFlags {
  readonly figure: string;
  readonly runtime?: string;
  readonly repeat?: string;
  readonly seed?: string;
  readonly quick?: boolean;
  readonly out: string;
  readonly quiet?: boolean;
}

export function addPaper(program: Command): void {
  program
    .command("paper")
    .description("runs the experiments of the POLE paper and says whether they come out as it says")
    .option("--figure <name>", `all, or ${EXPERIMENTS.map(({ figure }) => figure).join(", ")}`, "all")
    .addOption(
      new Option("--runtime <name>", "auto, docker, netns, sim").env("POLEBENCH_RUNTIME").default("auto"),
    )
    .option("--repeat <count>", "runs of each point; 5 as in the paper, 1 when quick")
    .option("--seed <number>", "of the first run")
    .option("--quick", "shorter phases, less state; the network stays what it is")
    .option("--out <folder>", "where reports go", "reports")
    .option("--quiet", "no progress")
    .action(async (flags: PaperFlags) => {
      process.exitCode = await paper(flags);
    });
}

async function paper(flags: PaperFlags): Promise<number> {
  const experiments = chosen(flags.figure || "all");
  const quick = flags.quick === true;
  const setting: Setting = {
    runtime: chooseRuntime(flags),
    quick,
    repetitions: countOf("repeat", flags.repeat, quick ? 1 : 5),
    seed: countOf("seed", flags.seed, 1),
  };
  const folder = join(flags.out, "paper", setting.runtime + (quick ? "-quick" : ""));
  mkdirSync(folder, { recursive: true });
  const runner = new Runner(folder, experiments, setting, flags.quiet === true);
  const figures: PaperFigure[] = [];
  for (const experiment of experiments) figures.push(await runner.figure(experiment));
  runner.end();
  const where = setting.runtime === "sim" ? "virtual time" : setting.runtime;
  const runs = `${setting.repetitions} run${setting.repetitions === 1 ? "" : "s"} a point`;
  const conditions = `${where}, ${runs}${quick ? ", short phases" : ""}`;
  await writePaperReport(folder, conditions, environmentOf(where, commandLine()), figures);
  for (const { figure, checks, notRun } of figures) {
    if (notRun !== null) console.log(`not run ${figure}: ${notRun}`);
    for (const { what, holds } of checks) console.log(`${holds ? "holds " : "DIFFERS"} ${figure}: ${what}`);
  }
  console.log(`  ${join(folder, "report.html")}`);
  const discarded = figures.some((figure) => figure.discarded.length > 0);
  const holds = figures.every(({ checks }) => checks.every((check) => check.holds));
  return discarded || !holds ? EXIT.failed : EXIT.passed;
}

function chosen(name: string): readonly Experiment[] {
  if (name === "all") return EXPERIMENTS;
  if (name === NOT_A_TRIAL) {
    throw new RefusedInput(
      "--figure: 3 is about the network alone: node orchestrator/main.ts calibrate --bandwidth 5 lan",
    );
  }
  const found = EXPERIMENTS.filter(({ figure }) => figure === name);
  const valid = ["all", ...EXPERIMENTS.map(({ figure }) => figure)];
  if (found.length === 0) throw new RefusedInput(`--figure: there is no "${name}"${suggestion(name, valid)}`);
  return found;
}

class Runner {
  readonly #folder: string;
  readonly #setting: Setting;
  readonly #progress: Progress;
  /** Figures share runs: what one has done the other need not do. */
  readonly #done = new Map<string, Summary>();

  constructor(folder: string, experiments: readonly Experiment[], setting: Setting, quiet: boolean) {
    this.#folder = folder;
    this.#setting = setting;
    const plans = experiments.flatMap((experiment) =>
      experiment.cells(setting).map(({ plan }) => printPlan(plan)),
    );
    this.#progress = new Progress(new Set(plans).size, quiet);
  }

  async figure(experiment: Experiment): Promise<PaperFigure> {
    const { figure, section, claim } = experiment;
    const runs: ExperimentRun[] = [];
    const discarded: string[] = [];
    const none = { figure, section, claim, runs: 0, discarded, figures: [], comparison: [], checks: [] };
    for (const cell of experiment.cells(this.#setting)) {
      let summary: Summary;
      try {
        summary = await this.#summary(`figure ${figure}: ${cell.id}`, join(figure, cell.id), cell.plan);
      } catch (error) {
        if (error instanceof CannotRun) return { ...none, notRun: error.message };
        throw error;
      }
      const wrong = summary.verdict.findings.filter(({ judgement }) => judgement !== "valid");
      if (wrong.length === 0) runs.push({ ...cell, summary });
      else discarded.push(`${cell.id}: ${wrong.map(({ reasons }) => reasons.join("; ")).join("; ")}`);
    }
    const { runtime, quick } = this.#setting;
    const conditions = `${runtime === "sim" ? "virtual time" : runtime}${quick ? ", short phases" : ""}`;
    if (runs.length === 0)
      return { ...none, notRun: `no run is a result: ${discarded[0] ?? "none was made"}` };
    const result = experiment.result(runs, conditions);
    return { figure, section, claim, runs: runs.length, discarded, notRun: null, ...result };
  }

  end(): void {
    this.#progress.end();
  }

  async #summary(what: string, cell: string, plan: TrialPlan): Promise<Summary> {
    const text = printPlan(plan);
    const before = this.#done.get(text);
    if (before !== undefined) return before;
    this.#progress.begin(what);
    const folder = join(this.#folder, "cells", cell);
    const summary =
      keptSummary(folder, plan) ??
      (await runCell(folder, plan, (phase) => this.#progress.begin(`${what}: ${phase}`)));
    this.#done.set(text, summary);
    this.#progress.finish(what);
    // Virtual time never yields by itself, and a signal waits for the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return summary;
  }
}

async function runCell(folder: string, plan: TrialPlan, progress: (phase: string) => void): Promise<Summary> {
  const recording = await runTrial(plan, commandLine(), progress);
  if (recording.interrupted) throw new Interrupted("interrupted; the same command goes on from here");
  const measures = measure(recording);
  const summary = summarise(recording, measures, judgeRun(recording, measures), []);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  return summary;
}
