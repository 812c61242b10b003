/** `polebench paper`: the experiments of the POLE paper; goes on where it was stopped. */

import { join } from "node:path";
import { type Command, Option } from "commander";
import { EXPERIMENTS } from "../experiments/catalog.ts";
import type { Experiment, Setting } from "../experiments/experiment.ts";
import { FIGURE_3 } from "../experiments/figure-3.ts";
import { environmentOf } from "../recording/environment.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { writePaperReport } from "../report/paper-report.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { recordOfPaper } from "../book/paper.ts";
import { enter } from "../book/store.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { interruption } from "../terminal/interrupted.ts";
import { type AskedPaper, writeAsked } from "./invocation.ts";
import { commandLine } from "./command-line.ts";
import { Figures } from "./figures.ts";
import { CarriedOut, LeftBehind, type Results } from "./results.ts";
import { chooseRuntime, countOf } from "./trial-flags.ts";
import { type WatchFlags, Watching, withWatchFlags } from "./watching.ts";

interface PaperFlags extends WatchFlags {
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
  withWatchFlags(program.command("paper"))
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
  const names = [...(network ? [FIGURE_3.figure] : []), ...experiments.map(({ figure }) => figure)];
  const asked: AskedPaper = {
    format: "polebench paper asked 1",
    command: commandLine(),
    figures: names,
    setting: { ...setting, megabytes: [...setting.megabytes] },
  };
  writeAsked(folder, asked);
  using stop = interruption();
  await using watching = await Watching.begin(flags);
  const plans = experiments.flatMap((experiment) =>
    experiment.cells(setting).map(({ id, plan }) => ({ folder: join(experiment.figure, id), plan })),
  );
  const planned = { plans, network };
  const results = new CarriedOut(folder, setting, planned, flags.quiet === true, stop.signal, watching);
  const figures = await figuresOf(asked, results);
  results.end();
  const code = await publish(folder, asked, figures, watching.say, flags.out);
  return stop.signal.aborted ? EXIT.interrupted : code;
}

/** From what the runs left behind. */
export async function paperAgain(folder: string, asked: AskedPaper): Promise<number> {
  const figures = await figuresOf(asked, new LeftBehind(folder));
  return publish(folder, asked, figures, (text) => console.log(text), null);
}

async function figuresOf(asked: AskedPaper, results: Results): Promise<Figures> {
  const figures = new Figures(asked.setting, results);
  for (const name of asked.figures) {
    const { experiments, network } = chosen(name);
    if (network) await figures.network();
    for (const experiment of experiments) await figures.add(experiment);
  }
  return figures;
}

/** `out`: whose book it is entered in; null when nothing was run. */
async function publish(
  folder: string,
  asked: AskedPaper,
  made: Figures,
  say: (text: string) => void,
  out: string | null,
): Promise<number> {
  const { setting, command } = asked;
  const where = setting.runtime === "sim" ? "virtual time" : setting.runtime;
  const runs = `${setting.repetitions} run${setting.repetitions === 1 ? "" : "s"} a point`;
  const seeds = setting.repetitions === 1 ? "seed" : `seeds ${setting.seed} to`;
  const last = setting.seed + setting.repetitions - 1;
  const conditions = `${where}, ${runs}, ${seeds} ${last}${setting.quick ? ", short phases" : ""}`;
  const { figures, environments } = made;
  const machine = environments.length > 0 ? environments : [{ ...environmentOf(where, command) }];
  await writePaperReport(folder, conditions, provenanceOf(command, machine), figures);
  for (const { figure, checks, notRun, omitted, discarded } of figures) {
    for (const what of [...(notRun === null ? [] : [notRun]), ...omitted]) say(`not run ${figure}: ${what}`);
    for (const reason of discarded) say(`not counted ${figure}: ${reason}`);
    for (const { what, holds } of checks) say(`${holds ? "holds " : "DIFFERS"} ${figure}: ${what}`);
  }
  say(`  ${join(folder, "report.html")}`);
  if (out !== null) enter(out, folder, recordOfPaper(figures, conditions, provenanceOf(command, machine)));
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
