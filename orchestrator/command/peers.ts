/**
 * `polebench peers`: this project's oracles beside other coordination services, as they come and as they are
 * tuned, on several deployments, with one page for all; goes on where it was stopped.
 */

import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { recordOfRuns } from "../book/several.ts";
import { enter } from "../book/store.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { planTrial } from "../plan/flags.ts";
import { type Cell, cellsOf } from "../plan/matrix.ts";
import { type PeersTopology, writePeers } from "../report/peers-report.ts";
import { OTHER_SYSTEMS, SYSTEMS } from "../system/catalog.ts";
import { CannotRun } from "../terminal/exit-code.ts";
import { commandLine } from "./command-line.ts";
import { armsNamed, type CompareArm, DEFAULT_ARMS } from "./compare.ts";
import { inGroup, runGroups } from "./grouped-cells.ts";
import { chooseRuntime, countOf } from "./trial-flags.ts";

interface PeersFlags {
  readonly topologies: string;
  readonly arms: string;
  readonly repeat: string;
  readonly duration: string;
  readonly rate: string;
  readonly seed?: string;
  readonly quick?: boolean;
  readonly out: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const TOPOLOGIES = "3dc,2dc,cloud,lan";

export function addPeers(program: Command): void {
  program
    .command("peers")
    .description("oracles, ZooKeeper and etcd, as they come and tuned, on several deployments: one page")
    .option("--topologies <list>", "names from topologies/, or files", TOPOLOGIES)
    .option("--arms <list>", "oracles and systems", [DEFAULT_ARMS, ...OTHER_SYSTEMS].join(","))
    .option("--repeat <count>", "runs of each arm on each topology", "3")
    .option("--duration <duration>", "of each load; the leader dies in its middle", "30s")
    .option("--rate <rate>", "of all clients together", "500/s")
    .option("--seed <number>", "of the first run")
    .option("--quick", "shorter phases; the network stays what it is")
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print the numbers as one JSON document")
    .option("--quiet", "no progress")
    .action(async (flags: PeersFlags) => {
      process.exitCode = await peers(flags);
    });
}

interface PlannedTopology {
  readonly name: string;
  readonly description: string;
  readonly cells: readonly Cell[];
}

async function peers(flags: PeersFlags): Promise<number> {
  const arms = armsNamed("arms", flags.arms);
  const systems = arms.flatMap((arm) => ("system" in arm ? [arm.system] : []));
  const [missing] = systems.flatMap((name) => SYSTEMS[name].missing() ?? []);
  if (missing !== undefined) throw new CannotRun(missing);
  const runtime = await chooseRuntime(
    { runtime: "netns", quiet: flags.quiet === true },
    { systems, ownOracle: arms.some(({ module }) => module !== null), bends: false },
  );
  const { rate, seed, quick } = flags;
  const trial = { rate, seed, quick, ...(quick === true ? {} : { duration: flags.duration }) };
  const planned = flags.topologies.split(",").map((given): PlannedTopology => {
    const plan = planTrial({ ...trial, topology: given.trim() }, runtime);
    const { name, description } = plan.topology;
    const cells = cellsOf(plan, arms, countOf("repeat", flags.repeat, 3));
    return { name, description, cells: inGroup(name, cells) };
  });
  return carryOut(flags, planned, arms);
}

async function carryOut(
  flags: PeersFlags,
  planned: readonly PlannedTopology[],
  arms: readonly CompareArm[],
): Promise<number> {
  const folder = join(flags.out, "peers");
  const { of, failed, isInterrupted } = await runGroups(planned, folder, flags.quiet === true);
  const topologies = planned.map(
    ({ name, description }, index): PeersTopology => ({
      name,
      description,
      runs: [],
      attempts: [],
      ...of[index],
    }),
  );
  const runs = topologies.flatMap(({ name, runs: own }) =>
    own.map((run) => ({ ...run, arm: `${name}, ${run.arm}` })),
  );
  const superseded = topologies.flatMap(({ attempts }) => attempts).length;
  const what = `on ${flags.topologies}`;
  const record = recordOfRuns({ kind: "peers", what, command: commandLine(), runs, superseded });
  const names = arms.map(({ name }) => name);
  const { text, json } = writePeers(folder, { command: commandLine(), arms: names, topologies, failed });
  if (record !== null) enter(flags.out, folder, record);
  console.log(flags.json === true ? json : [text, ...failed, `  ${join(folder, "report.html")}`].join("\n"));
  if (isInterrupted) return EXIT.interrupted;
  return failed.length > 0 ? EXIT.failed : exitCodeOf(runs.map(({ summary }) => summary));
}
