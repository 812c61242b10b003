/** `polebench run`: one plan, once or a few times, and a report of each. */

import { join } from "node:path";
import type { Command } from "commander";
import { pointLatest, writeRecording } from "../recording/run-folder.ts";
import { headlineOf } from "../report/headline.ts";
import { writeRunReport } from "../report/run-report.ts";
import type { Summary } from "../report/summary.ts";
import { exitCodeOf } from "../trial/exit-code.ts";
import { planTrial } from "../trial/flags.ts";
import { runTrial } from "../trial/run.ts";
import { Progress } from "./progress.ts";
import { countOf, type RunFlags, runtimeOf, thresholdsOf, withTrialFlags } from "./trial-flags.ts";

export function addRun(program: Command): void {
  withTrialFlags(program.command("run"))
    .description("runs a trial and writes a report")
    .option("--oracle <name>", "who is a good leader")
    .action(async (flags: RunFlags) => {
      process.exitCode = await run(flags);
    });
}

async function run(flags: RunFlags): Promise<number> {
  const runtime = runtimeOf(flags.runtime, flags.system);
  const first = planTrial(flags, runtime);
  const thresholds = thresholdsOf(flags.threshold ?? [], [...first.topology.sites.keys()]);
  const plans = Array.from({ length: countOf("repeat", flags.repeat, 1) }, (_, index) => ({
    ...first,
    seed: first.seed + index,
  }));
  const progress = new Progress(plans.length, flags.quiet === true);
  const summaries: Summary[] = [];
  for (const plan of plans) {
    const name = [plan.topology.name, plan.system === "polebench" ? plan.oracle.name : plan.system, runtime];
    const folder = join(flags.out ?? "reports", "run", [...name, `seed-${plan.seed}`].join("-"));
    progress.begin(`${name.join(", ")}, seed ${plan.seed}`);
    const recording = await runTrial(plan, commandLine());
    writeRecording(folder, recording);
    const summary = await writeRunReport(folder, recording, thresholds);
    pointLatest(folder);
    summaries.push(summary);
    progress.finish(`${name.join(", ")}, seed ${plan.seed}`);
    if (flags.json !== true) console.log(`${headlineOf(summary)}\n  ${join(folder, "report.html")}`);
  }
  progress.end();
  if (flags.json === true)
    console.log(JSON.stringify(plans.length === 1 ? summaries[0] : summaries, null, 1));
  return exitCodeOf(summaries);
}

/** As it was typed, for who wants to do it again. */
export const commandLine = (): string => ["node", "orchestrator/main.ts", ...process.argv.slice(2)].join(" ");
