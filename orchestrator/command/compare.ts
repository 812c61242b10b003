/** `polebench compare`: several oracles side by side; goes on where it was stopped. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { serverId } from "#node/core/identity.ts";
import { writeRecording } from "../recording/run-folder.ts";
import type { ComparedRun } from "../report/compared-run.ts";
import { writeComparison } from "../report/comparison-report.ts";
import { conditions } from "../report/run-page.ts";
import { writeRunReport } from "../report/run-report.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { mayBend } from "../fault/words.ts";
import { beyondReach } from "../plan/fault-terms.ts";
import { planTrial } from "../plan/flags.ts";
import { interruption } from "../terminal/interrupted.ts";
import { type Arm, type Cell, cellsOf, systemArm } from "../plan/matrix.ts";
import { isSystemName, OTHER_SYSTEMS, type SystemName } from "../system/catalog.ts";
import { oracleOf, oraclePlan } from "../plan/oracle-plan.ts";
import { writeAsked } from "./invocation.ts";
import { CellRunner } from "./cell-runner.ts";
import { commandLine } from "./command-line.ts";
import { expectedSeconds } from "./expected-seconds.ts";
import { Progress } from "./progress.ts";
import { chooseRuntime, countOf, type RunFlags, thresholdsOf, withTrialFlags } from "./trial-flags.ts";

interface CompareFlags extends RunFlags {
  readonly oracles: string;
}

const DEFAULT_ARMS = "history,rotating,request,consensus,latency,worst-case";

export function addCompare(program: Command): void {
  withTrialFlags(program.command("compare"))
    .description("runs several oracles in random order with paired seeds; goes on where it was stopped")
    .option(
      "--oracles <list>",
      `names, paths such as ./mine.ts, and other systems: ${OTHER_SYSTEMS.join(", ")}`,
      DEFAULT_ARMS,
    )
    .action(async (flags: CompareFlags) => {
      process.exitCode = await compare(flags);
    });
}

async function compare(flags: CompareFlags): Promise<number> {
  const arms = armsOf(flags);
  const runtime = await chooseRuntime(flags, {
    systems: arms.flatMap((arm) => ("system" in arm ? [arm.system] : [])),
    bends: (flags.fault ?? []).some((text) => mayBend(text)),
    ownOracle: arms.some(({ module }) => module !== null),
  });
  const plan = planTrial(flags, runtime);
  for (const arm of arms) {
    const beyond = "system" in arm ? beyondReach({ ...plan, system: arm.system }) : [];
    if (beyond.length > 0) throw new RefusedInput(beyond.map((what) => `--fault: ${what}`).join("\n"));
  }
  for (const arm of arms) if (!("system" in arm)) await oracleOf(arm);
  const thresholds = thresholdsOf(flags.threshold ?? [], [...plan.topology.sites.keys()]);
  const cells = cellsOf(plan, arms, countOf("repeat", flags.repeat, 5));
  const folder = join(
    flags.out ?? "reports",
    "compare",
    [plan.topology.name, runtime, `seed-${plan.seed}`].join("-"),
  );
  const title = `Oracles compared: ${conditions(plan)
    .replace(/, (?:oracle [^,]+|ZooKeeper's own election)/, "")
    .replace(/, seed.*/, "")}`;
  const names = arms.map(({ name }) => name);
  const asked = cells.map(({ id, arm, repetition }) => ({ id, arm, repetition }));
  const format = "polebench comparison asked 1";
  writeAsked(folder, { format, command: commandLine(), title, arms: names, cells: asked });
  const expected = cells.map((cell) => expectedSeconds(join(folder, cellFolder(cell)), cell.plan));
  const progress = new Progress(expected, flags.quiet === true);
  using stop = interruption();
  const runner = new CellRunner(progress, stop.signal, (into, recording) => {
    writeRecording(into, recording);
    return writeRunReport(into, recording, thresholds);
  });
  const runs: ComparedRun[] = [];
  const failed: string[] = [];
  for (const cell of cells) {
    if (stop.signal.aborted) break;
    const { id, arm, repetition } = cell;
    const own = cellFolder(cell);
    const outcome = await runner.run(id, join(folder, own), cell.plan);
    if (outcome.kind === "failed") failed.push(`failed: ${id}: ${outcome.reason}`);
    else if (outcome.summary !== null)
      runs.push({ id, folder: own, arm, repetition, summary: outcome.summary });
  }
  progress.end();
  const { text } = await writeComparison(folder, { title, command: commandLine(), runs, arms: names });
  if (flags.json === true) console.log(readFileSync(join(folder, "comparison.json"), "utf8").trimEnd());
  else console.log([text, ...failed, `  ${join(folder, "report.html")}`].join("\n"));
  if (stop.signal.aborted) return EXIT.interrupted;
  return failed.length > 0 ? EXIT.failed : exitCodeOf(runs.map(({ summary }) => summary));
}

/** Seen from the folder of the comparison. */
export const cellFolder = ({ id }: Pick<Cell, "id">): string => join("cells", id.replaceAll(" ", "-"));

/** Another system that `--system` names stands among the oracles, named there or not. */
function armsOf({ oracles, system, preference }: CompareFlags): readonly Arm[] {
  const ranked = (preference ?? "").split(",").flatMap((name) => {
    const [, id] = /^p(\d+)$/.exec(name.trim()) ?? [];
    return id === undefined ? [] : [serverId(Number(id))];
  });
  const arms = (oracles || DEFAULT_ARMS).split(",").map((given): Arm => {
    const name = given.trim();
    if (isOther(name)) return systemArm(name);
    const arm = oraclePlan(name, ranked);
    if (typeof arm === "string") throw new RefusedInput(`--oracles: ${arm}, or ${OTHER_SYSTEMS.join(", ")}`);
    return arm;
  });
  if (isOther(system ?? "") && !arms.some(({ name }) => name === system))
    arms.push(systemArm(system as SystemName));
  const names = arms.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RefusedInput(`--oracles: ${twice} stands there twice`);
  return arms;
}

const isOther = (name: string): name is SystemName => isSystemName(name) && OTHER_SYSTEMS.includes(name);
