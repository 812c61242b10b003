/** `polebench paper`: the experiments of the POLE paper; goes on where it was stopped. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { EXPERIMENTS } from "../experiments/catalog.ts";
import type { Experiment, ExperimentRun, Setting } from "../experiments/experiment.ts";
import { bandwidthAt, FIGURE_3, figure3, ROUND_TRIPS_MS } from "../experiments/figure-3.ts";
import { judgeRun } from "../measure/judgement.ts";
import { measure } from "../measure/measures.ts";
import { environmentOf } from "../recording/environment.ts";
import { type Provenance, provenanceOf } from "../recording/provenance.ts";
import type { Recording } from "../recording/recording.ts";
import { writeRecording } from "../recording/run-folder.ts";
import { type PaperFigure, writePaperReport } from "../report/paper-report.ts";
import { type Summary, summarise } from "../report/summary.ts";
import { RefusedInput, suggestion } from "../topology-problem.ts";
import { EXIT } from "../trial/exit-code.ts";
import { interruption } from "../trial/interrupted.ts";
import type { Runtime, TrialPlan } from "../trial/plan.ts";
import { printPlan } from "../trial/plan-text.ts";
import { type CellOutcome, CellRunner } from "./cell-runner.ts";
import { Progress } from "./progress.ts";
import { commandLine } from "./run.ts";
import { chooseRuntime, countOf } from "./trial-flags.ts";

interface PaperFlags {
  readonly figure: string;
  readonly runtime?: string;
  readonly repeat?: string;
  readonly seed?: string;
  readonly state?: string;
  readonly quick?: boolean;
  readonly out: string;
  readonly quiet?: boolean;
}

export function addPaper(program: Command): void {
  program
    .command("paper")
    .description("runs the experiments of the POLE paper and says whether they come out as it says")
    .option("--figure <name>", `all, 3, ${EXPERIMENTS.map(({ figure }) => figure).join(", ")}`, "all")
    .addOption(
      new Option("--runtime <name>", "auto, docker, netns, sim").env("POLEBENCH_RUNTIME").default("auto"),
    )
    .option("--repeat <count>", "runs of each point; 5 as in the paper, 1 when quick")
    .option("--seed <number>", "of the first run")
    .option("--state <megabytes>", "sizes of the state in Figure 8, as 1,50,100,250")
    .option("--quick", "shorter phases, less state; the network stays what it is")
    .option("--out <folder>", "where reports go", "reports")
    .option("--quiet", "no progress")
    .action(async (flags: PaperFlags) => {
      process.exitCode = await paper(flags);
    });
}

async function paper(flags: PaperFlags): Promise<number> {
  const { experiments, network } = chosen(flags.figure || "all");
  const quick = flags.quick === true;
  const setting: Setting = {
    runtime: await chooseRuntime(flags),
    quick,
    repetitions: countOf("repeat", flags.repeat, quick ? 1 : 5),
    seed: countOf("seed", flags.seed, 1),
    megabytes: flags.state === undefined ? [] : flags.state.split(",").map(megabytes),
  };
  const folder = join(flags.out, "paper", setting.runtime + (quick ? "-quick" : ""));
  mkdirSync(folder, { recursive: true });
  using stop = interruption();
  const runner = new Runner(folder, experiments, setting, flags.quiet === true, stop.signal);
  const figures: PaperFigure[] = [];
  if (network) figures.push(await runner.network());
  for (const experiment of experiments) figures.push(await runner.figure(experiment));
  runner.end();
  const where = setting.runtime === "sim" ? "virtual time" : setting.runtime;
  const runs = `${setting.repetitions} run${setting.repetitions === 1 ? "" : "s"} a point`;
  const seeds = setting.repetitions === 1 ? "seed" : `seeds ${setting.seed} to`;
  const last = setting.seed + setting.repetitions - 1;
  const conditions = `${where}, ${runs}, ${seeds} ${last}${quick ? ", short phases" : ""}`;
  const provenance = provenanceOf(commandLine(), runner.environments(where));
  await writePaperReport(folder, conditions, provenance, figures);
  for (const { figure, checks, notRun, omitted, discarded } of figures) {
    for (const what of [...(notRun === null ? [] : [notRun]), ...omitted])
      console.log(`not run ${figure}: ${what}`);
    for (const reason of discarded) console.log(`not counted ${figure}: ${reason}`);
    for (const { what, holds } of checks) console.log(`${holds ? "holds " : "DIFFERS"} ${figure}: ${what}`);
  }
  console.log(`  ${join(folder, "report.html")}`);
  if (stop.signal.aborted) return EXIT.interrupted;
  const discarded = figures.some((figure) => figure.discarded.length > 0);
  const holds = figures.every(({ checks }) => checks.every((check) => check.holds));
  return discarded || !holds ? EXIT.failed : EXIT.passed;
}

function megabytes(text: string): number {
  if (!/^[0-9]{1,4}$/.test(text))
    throw new RefusedInput(`--state: "${text}" is no size in megabytes; write sizes as 1,50,100,250`);
  return Number(text);
}

interface Chosen {
  readonly experiments: readonly Experiment[];
  /** Figure 3 too. */
  readonly network: boolean;
}

function chosen(name: string): Chosen {
  if (name === "all") return { experiments: EXPERIMENTS, network: true };
  if (name === FIGURE_3.figure) return { experiments: [], network: true };
  const experiments = EXPERIMENTS.filter(({ figure }) => figure === name);
  const valid = ["all", FIGURE_3.figure, ...EXPERIMENTS.map(({ figure }) => figure)];
  if (experiments.length === 0)
    throw new RefusedInput(`--figure: there is no "${name}"${suggestion(name, valid)}`);
  return { experiments, network: false };
}

class Runner {
  readonly #folder: string;
  readonly #setting: Setting;
  readonly #conditions: string;
  readonly #progress: Progress;
  readonly #signal: AbortSignal;
  readonly #cells: CellRunner;
  /** Figures share runs: what one has done the other need not do. */
  readonly #done = new Map<string, CellOutcome>();

  constructor(
    folder: string,
    experiments: readonly Experiment[],
    setting: Setting,
    quiet: boolean,
    signal: AbortSignal,
  ) {
    const { runtime, quick } = setting;
    this.#folder = folder;
    this.#setting = setting;
    this.#conditions = `${runtime === "sim" ? "virtual time" : runtime}${quick ? ", short phases" : ""}`;
    const plans = experiments.flatMap((experiment) =>
      experiment.cells(setting).map(({ plan }) => printPlan(plan)),
    );
    this.#progress = new Progress(new Set(plans).size, quiet);
    this.#signal = signal;
    this.#cells = new CellRunner(this.#progress, signal, writeSummary);
  }

  async figure(experiment: Experiment): Promise<PaperFigure> {
    const { figure, section, claim } = experiment;
    const runs: ExperimentRun[] = [];
    const discarded: string[] = [];
    const omitted = experiment.omits?.(this.#setting) ?? [];
    const about = { figure, section, claim, omitted, discarded };
    const none = { ...about, runs: 0, figures: [], comparison: [], checks: [] };
    const cells = experiment.cells(this.#setting);
    for (const cell of cells) {
      const outcome = await this.#run(`figure ${figure}: ${cell.id}`, join(figure, cell.id), cell.plan);
      if (outcome.kind === "interrupted") {
        return { ...none, notRun: `interrupted with ${runs.length} of ${cells.length} runs done` };
      }
      const wrong = outcome.kind === "failed" ? outcome.reason : reasonAgainst(outcome.summary);
      if (outcome.kind === "done" && wrong === "") runs.push({ ...cell, summary: outcome.summary });
      else discarded.push(`${cell.id}: ${wrong}`);
    }
    if (runs.length === 0) {
      return { ...none, notRun: `no run is a result: ${discarded[0] ?? "none was made"}` };
    }
    const result = experiment.result(runs, this.#conditions);
    return { ...about, runs: runs.length, notRun: null, ...result };
  }

  /** Figure 3. */
  async network(): Promise<PaperFigure> {
    const { runtime, quick } = this.#setting;
    const none = {
      ...FIGURE_3,
      runs: 0,
      omitted: [],
      discarded: [],
      figures: [],
      comparison: [],
      checks: [],
    };
    if (runtime === "sim") {
      return { ...none, notRun: "virtual time has no kernel whose TCP could be measured" };
    }
    const measured: number[] = [];
    for (const roundTrip of ROUND_TRIPS_MS) {
      if (this.#signal.aborted) return { ...none, notRun: "interrupted" };
      this.#progress.begin(`figure 3: one TCP flow over ${roundTrip} ms`);
      try {
        measured.push(await this.#bandwidth(roundTrip, runtime, quick));
      } catch (error) {
        return { ...none, notRun: error instanceof Error ? error.message : String(error) };
      }
    }
    const result = figure3(measured, this.#conditions);
    return { ...none, runs: measured.length, notRun: null, ...result };
  }

  end(): void {
    this.#progress.end();
  }

  /** How each run was made; without a run, this machine. */
  environments(engine: string): readonly Provenance[] {
    const made = [...this.#done.values()].flatMap((outcome) =>
      outcome.kind === "failed" || outcome.summary === null ? [] : [outcome.summary.environment],
    );
    return made.length > 0 ? made : [{ ...environmentOf(engine, commandLine()) }];
  }

  async #bandwidth(roundTrip: number, runtime: Runtime, quick: boolean): Promise<number> {
    const folder = join(this.#folder, "cells", FIGURE_3.figure);
    const file = join(folder, `${roundTrip}ms.json`);
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as number;
    const bits = await bandwidthAt(roundTrip, runtime, quick);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${bits}\n`);
    return bits;
  }

  async #run(what: string, cell: string, plan: TrialPlan): Promise<CellOutcome> {
    if (this.#signal.aborted) return { kind: "interrupted", summary: null };
    const text = printPlan(plan);
    const before = this.#done.get(text);
    if (before !== undefined) return before;
    const outcome = await this.#cells.run(what, join(this.#folder, "cells", cell), plan);
    this.#done.set(text, outcome);
    return outcome;
  }
}

/** Empty when the run counts. */
const reasonAgainst = ({ verdict }: Summary): string =>
  verdict.findings
    .filter(({ judgement }) => judgement !== "valid")
    .map(({ property, reasons }) => `${property}: ${reasons[0] ?? ""}`)
    .join("; ");

function writeSummary(folder: string, recording: Recording): Summary {
  // There will not be another of its kind; of whole runs the raw data would take gigabytes.
  if (recording.interrupted) writeRecording(folder, recording);
  const measures = measure(recording);
  const summary = summarise(recording, measures, judgeRun(recording, measures), []);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  return summary;
}
