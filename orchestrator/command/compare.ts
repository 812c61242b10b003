/** `polebench compare`: several oracles side by side; goes on where it was stopped. */

import type { Command } from "commander";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { type Between, parseBetween } from "../book/between.ts";
import { runsNeeded } from "../report/comparison-differences.ts";
import { conditions } from "../report/run-page.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { mayBend } from "../fault/words.ts";
import { beyondReach } from "../plan/fault-terms.ts";
import { planTrial } from "../plan/flags.ts";
import { cellsOf, type SystemArm, systemArm } from "../plan/matrix.ts";
import { loadTopology } from "../topology/topology.ts";
import { isSystemName, OTHER_SYSTEMS, type SystemName } from "../system/catalog.ts";
import type { OracleTexts } from "#node/oracle/options.ts";
import { oracleOf, oraclePlan, oracleTexts } from "../plan/oracle-plan.ts";
import type { OraclePlan } from "../plan/plan.ts";
import { comparisonFolder, runComparison, tellRepetitions } from "./comparison-runner.ts";
import {
  chooseRuntime,
  collect,
  countOf,
  type RunFlags,
  thresholdsOf,
  withTrialFlags,
} from "./trial-flags.ts";
import { type WatchFlags, withWatchFlags } from "./watching.ts";

interface CompareFlags extends RunFlags, WatchFlags {
  readonly oracles: string;
  readonly between?: readonly string[];
  readonly stopAtMiss?: boolean;
}

export type CompareArm = OraclePlan | SystemArm;

export const DEFAULT_ARMS = "history,rotating,request,consensus,latency,worst-case";

export function addCompare(program: Command): void {
  withWatchFlags(withTrialFlags(program.command("compare")))
    .description("runs several oracles in random order with paired seeds; goes on where it was stopped")
    .option(
      "--oracles <list>",
      `names, paths such as ./mine.ts, and other systems: ${OTHER_SYSTEMS.join(", ")}`,
      DEFAULT_ARMS,
    )
    .option("--between <words>", "such as 'outage:latency/zookeeper<0.5'; may be repeated", collect, [])
    .option("--stop-at-miss", "no further run after one that misses a threshold")
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
  const names = arms.map(({ name }) => name);
  const between = (flags.between ?? []).map((text) => betweenOf(text, names));
  const cells = cellsOf(plan, arms, countOf("repeat", flags.repeat, runsNeeded(arms.length)));
  tellRepetitions(flags, arms.length);
  const title = `Oracles compared: ${conditions(plan)
    .replace(/, (?:oracle [^,]+|[^,]+'s own election)/, "")
    .replace(/, seed.*/, "")}`;
  const folder = comparisonFolder("compare", flags, plan);
  const { stopAtMiss = false } = flags;
  const kind = "oracle" as const;
  const planned = { folder, title, kind, arms: names, cells, thresholds, between, stopAtMiss };
  return runComparison(flags, planned);
}

function betweenOf(text: string, arms: readonly string[]): Between {
  const parsed = parseBetween(text, arms);
  if (typeof parsed === "string") throw new RefusedInput(`--between: ${parsed}`);
  return parsed;
}

/** Another system that `--system` names stands among the oracles, named there or not. */
function armsOf(flags: CompareFlags): readonly CompareArm[] {
  const { oracles, system, preference } = flags;
  const options = oracleTexts(flags, loadTopology(flags.topology ?? "3dc"));
  if (typeof options === "string") throw new RefusedInput(`--oracles: ${options}`);
  const ranked = (preference ?? "").split(",").flatMap((name) => {
    const [, id] = /^p(\d+)$/.exec(name.trim()) ?? [];
    return id === undefined ? [] : [serverId(Number(id))];
  });
  const arms = namedArms("oracles", oracles || DEFAULT_ARMS, ranked, options);
  if (isOther(system ?? "") && !arms.some(({ name }) => name === system))
    arms.push(systemArm(system as SystemName));
  return eachOnce("oracles", arms);
}

/** Those of a list, such as `latency,./mine.ts,zookeeper`, each once. */
export const armsNamed = (flag: string, list: string): readonly CompareArm[] =>
  eachOnce(flag, namedArms(flag, list, [], {}));

const namedArms = (
  flag: string,
  list: string,
  ranked: readonly ServerId[],
  options: OracleTexts,
): CompareArm[] =>
  list.split(",").map((given): CompareArm => {
    const name = given.trim();
    if (isOther(name)) return systemArm(name);
    const arm = oraclePlan(name, ranked, options);
    if (typeof arm === "string") throw new RefusedInput(`--${flag}: ${arm}, or ${OTHER_SYSTEMS.join(", ")}`);
    return arm;
  });

function eachOnce(flag: string, arms: readonly CompareArm[]): readonly CompareArm[] {
  const names = arms.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RefusedInput(`--${flag}: ${twice} stands there twice`);
  return arms;
}

const isOther = (name: string): name is SystemName => isSystemName(name) && OTHER_SYSTEMS.includes(name);
