/**
 * `polebench kills`: how long nobody is served when the leader is lost in each of several ways, for this
 * project's server and others on the same network; goes on where it was stopped.
 */

import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { recordOfRuns } from "../book/several.ts";
import { enter } from "../book/store.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import { beyondReach } from "../plan/fault-terms.ts";
import { planTrial } from "../plan/flags.ts";
import { KILL_KINDS, type KillKind, KILLS, killDuration, killWords } from "../plan/kills.ts";
import { cellsOf } from "../plan/matrix.ts";
import { writeKills } from "../report/kills-report.ts";
import { SYSTEMS } from "../system/catalog.ts";
import { CannotRun } from "../terminal/exit-code.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { loadTopology } from "../topology/topology.ts";
import { commandLine } from "./command-line.ts";
import { armsNamed } from "./compare.ts";
import { inGroup, runGroups } from "./grouped-cells.ts";
import { chooseRuntime, countOf } from "./trial-flags.ts";

interface KillsFlags {
  readonly kinds: string;
  readonly arms: string;
  readonly topology: string;
  readonly repeat: string;
  readonly hold: string;
  readonly rate: string;
  readonly seed?: string;
  readonly runtime: string;
  readonly out: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addKills(program: Command): void {
  program
    .command("kills")
    .description("how long nobody is served when the leader is lost in each of several ways: one page")
    .option("--kinds <list>", "of loss", KILL_KINDS.join(","))
    .option("--arms <list>", "oracles and systems", "latency,zookeeper-tuned,etcd-tuned")
    .option("--topology <name>", "a name from topologies/, or a file", "lan")
    .option("--repeat <count>", "losses of each kind for each arm", "9")
    .option("--hold <seconds>", "until the lost leader is there again", "8")
    .option("--rate <rate>", "of all clients together", "400/s")
    .option("--seed <number>", "of the first run")
    .option("--runtime <name>", "netns, or sim for this project's arms", "netns")
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print the numbers as one JSON document")
    .option("--quiet", "no progress")
    .action(async (flags: KillsFlags) => {
      process.exitCode = await kills(flags);
    });
}

async function kills(flags: KillsFlags): Promise<number> {
  const kinds = flags.kinds.split(",").map(kindOf);
  const arms = armsNamed("arms", flags.arms);
  const systems = arms.flatMap((arm) => ("system" in arm ? [arm.system] : []));
  const [missing] = systems.flatMap((name) => SYSTEMS[name].missing() ?? []);
  if (missing !== undefined) throw new CannotRun(missing);
  const runtime = await chooseRuntime(
    { runtime: flags.runtime, quiet: flags.quiet === true },
    { systems, ownOracle: arms.some(({ module }) => module !== null), bends: false },
  );
  const hold = countOf("hold", flags.hold, 8);
  const topology = loadTopology(flags.topology);
  const groups = kinds.map((kind) => {
    const { rate, seed } = flags;
    const duration = `${killDuration(hold)}s`;
    const fault = killWords(kind, topology, hold);
    const plan = planTrial({ topology: flags.topology, duration, rate, seed, fault }, runtime);
    const [beyond] = systems.flatMap((system) => beyondReach({ ...plan, system }));
    if (beyond !== undefined) throw new RefusedInput(`--kinds: ${beyond}`);
    return { name: kind, cells: inGroup(kind, cellsOf(plan, arms, countOf("repeat", flags.repeat, 9))) };
  });
  const folder = join(flags.out, "kills", `${topology.name}-${runtime}`);
  const { of, failed, isInterrupted } = await runGroups(groups, folder, flags.quiet === true);
  const command = commandLine();
  const found = kinds.map((kind, index) => ({ kind, runs: [], attempts: [], ...of[index] }));
  const runs = found.flatMap(({ kind, runs: own }) =>
    own.map((run) => ({ ...run, arm: `${kind}, ${run.arm}` })),
  );
  const superseded = found.flatMap(({ attempts }) => attempts).length;
  const what = `the leader lost on ${topology.name}`;
  const record = recordOfRuns({ kind: "kills", what, command, runs, superseded });
  const names = arms.map(({ name }) => name);
  const { text, json } = writeKills(folder, { command, arms: names, kinds: found, failed });
  if (record !== null) enter(flags.out, folder, record);
  console.log(flags.json === true ? json : [text, ...failed, `  ${join(folder, "report.html")}`].join("\n"));
  if (isInterrupted) return EXIT.interrupted;
  return failed.length > 0 ? EXIT.failed : exitCodeOf(runs.map(({ summary }) => summary));
}

function kindOf(given: string): KillKind {
  const name = given.trim();
  if (Object.hasOwn(KILLS, name)) return name as KillKind;
  throw new RefusedInput(`--kinds: there is no "${name}"${suggestion(name, KILL_KINDS)}`);
}
