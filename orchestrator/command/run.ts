/** `polebench run`: one plan, once or a few times, and a report of each. */

import { basename, join } from "node:path";
import type { Command } from "commander";
import { enter } from "../book/store.ts";
import { recordOfTrial } from "../book/trial.ts";
import { attemptsIn } from "../recording/attempts.ts";
import { pointLatest, writeRecording } from "../recording/run-folder.ts";
import type { ComparedRun } from "../report/compared-run.ts";
import { writeComparison } from "../report/comparison-report.ts";
import { headlineOf } from "../report/headline.ts";
import { conditions } from "../report/run-page.ts";
import { writeRunReport } from "../report/run-report.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { planTrial } from "../plan/flags.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { armOf, type ServicePlan } from "../plan/plan.ts";
import { runTrial } from "../runner/run.ts";
import { attempted } from "./attempted.ts";
import { attemptsAt } from "./cell-runner.ts";
import { writeAsked } from "./invocation.ts";
import { commandLine } from "./command-line.ts";
import { secondsOf } from "./expected-seconds.ts";
import { Progress } from "./progress.ts";
import { writeReplay } from "./replay.ts";
import {
  chooseRuntime,
  countOf,
  demandOf,
  type RunFlags,
  thresholdsOf,
  withTrialFlags,
} from "./trial-flags.ts";
import { type WatchFlags, Watching, withWatchFlags } from "./watching.ts";

export function addRun(program: Command): void {
  withWatchFlags(withTrialFlags(program.command("run")), { handsOn: true })
    .description("runs a trial and writes a report")
    .option("--oracle <name>", "who is a good leader: a name, or ./mine.ts")
    .action(async (flags: RunFlags & WatchFlags) => {
      process.exitCode = await run(flags);
    });
}

async function run(flags: RunFlags & WatchFlags): Promise<number> {
  const runtime = await chooseRuntime(flags, demandOf(flags));
  const first = planTrial(flags, runtime);
  const thresholds = thresholdsOf(flags.threshold ?? [], [...first.topology.sites.keys()]);
  const plans = Array.from({ length: countOf("repeat", flags.repeat, 1) }, (_, index) => ({
    ...first,
    seed: first.seed + index,
  }));
  if (flags.handsOn === true && runtime === "sim")
    throw new RefusedInput("--hands-on: virtual time passes too fast for a hand: take --runtime netns");
  await using watching = await Watching.begin(flags);
  const progress = new Progress(plans.map(secondsOf), flags.quiet === true);
  const runs: ComparedRun[] = [];
  using stop = interruption();
  for (const plan of plans) {
    if (stop.signal.aborted) break;
    const name = [plan.topology.name, armOf(plan), runtime];
    const folder = join(flags.out ?? "reports", "run", [...name, `seed-${plan.seed}`].join("-"));
    const what = `${name.join(", ")}, seed ${plan.seed}`;
    progress.begin(what);
    const observer = watching.trial(plan, thresholds);
    const recording = await attempted(folder, plan, () =>
      runTrial(plan, {
        command: commandLine(),
        signal: stop.signal,
        progress: (phase) => {
          progress.begin(`${what}: ${phase}`);
          watching.phase(phase);
        },
        ...(observer !== null && { observer }),
        ...(watching.hand !== null && { hand: watching.hand }),
        logs: join(folder, "logs"),
      }),
    );
    progress.begin(`${what}: report`);
    writeRecording(folder, recording);
    const summary = await writeRunReport(folder, recording, thresholds);
    writeReplay(folder, recording, thresholds);
    watching.end(summary);
    enter(flags.out ?? "reports", folder, recordOfTrial(summary, attemptsIn(folder).length));
    pointLatest(folder);
    const own = basename(folder);
    runs.push({ id: own, folder: join("..", own), arm: name[1] ?? "", repetition: runs.length, summary });
    progress.finish(what);
    const tried = attemptsIn(folder).length;
    const nth = tried === 0 ? "" : `\n  attempt ${tried + 1}; those before stay beside it, attempt-1 and on`;
    if (flags.json !== true) watching.say(`${headlineOf(summary)}${nth}\n  ${join(folder, "report.html")}`);
  }
  progress.end();
  const summaries = runs.map(({ summary }) => summary);
  if (runs.length > 1) {
    const repeated = await reportTogether(join(flags.out ?? "reports", "run"), first, runs);
    if (flags.json !== true) watching.say(repeated);
  }
  if (flags.json === true)
    console.log(JSON.stringify(plans.length === 1 ? summaries[0] : summaries, null, 1));
  return stop.signal.aborted ? EXIT.interrupted : exitCodeOf(summaries);
}

/** One page for all repetitions, with intervals, beside their own. */
async function reportTogether(
  folder: string,
  plan: ServicePlan,
  runs: readonly ComparedRun[],
): Promise<string> {
  const own = join(folder, `${runs[0]?.id ?? ""}-to-${plan.seed + runs.length - 1}`);
  const title = `Repeated: ${conditions(plan).replace(/, seed.*/, "")}`;
  const arms = [...new Set(runs.map(({ arm }) => arm))];
  const cells = runs.map(({ id, arm, repetition, folder: of }) => ({ id, arm, repetition, folder: of }));
  writeAsked(own, { format: "polebench comparison asked 1", command: commandLine(), title, arms, cells });
  const attempts = runs.flatMap(({ id, folder: of }) => attemptsAt(own, id, of));
  const { text } = await writeComparison(own, { title, command: commandLine(), runs, attempts, arms });
  return `${text}\n  ${join(own, "report.html")}`;
}
