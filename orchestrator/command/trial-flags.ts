/** The flags of everything that runs trials, and what they mean together. */

import { type Command, Option } from "commander";
import { options } from "#node/election/option-catalog.ts";
import { flagOf, PLACEHOLDER } from "#node/election/options.ts";
import { isModulePath } from "#node/host/oracle-module.ts";
import { parseThreshold, type Threshold } from "../measure/threshold.ts";
import { mayBend } from "../fault/words.ts";
import { RefusedInput } from "../terminal/problem.ts";
import type { TrialFlags } from "../plan/flags.ts";
import { type Runtime, RUNTIMES } from "../plan/plan.ts";
import { type RuntimeDemand, runtimeOf } from "../runner/runtime.ts";
import { isSystemName, SYSTEM_NAMES, type SystemName } from "../system/catalog.ts";

export interface RunFlags extends TrialFlags {
  readonly runtime?: string;
  readonly repeat?: string;
  readonly threshold?: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** A flag is given, or its environment variable, or it has its default. */
export function withTrialFlags(command: Command): Command {
  const flag = (flags: string, description: string): Option => {
    const name = /--([a-z-]+)/.exec(flags)?.[1] ?? "";
    return new Option(flags, description).env(`POLEBENCH_${name.toUpperCase().replaceAll("-", "_")}`);
  };
  command
    .addOption(flag("--topology <name>", "a name from topologies/, or a file").default("3dc"))
    .addOption(flag("--system <name>", SYSTEM_NAMES.join(", ")))
    .addOption(flag("--election <name>", "how a leader is found"));
  for (const { name, option, sentence } of options) {
    command.addOption(flag(`--${flagOf(name)} <${PLACEHOLDER[option.kind]}>`, sentence));
  }
  return command
    .addOption(flag("--preference <list>", "best first, such as p3,p4; for the oracle of that name"))
    .addOption(
      flag("--criteria <list>", "of the oracle composite: latency:5%,recovery or latency:0.7,recovery:0.3"),
    )
    .addOption(flag("--sites <list>", "of the oracle site, best first, such as tud,cern"))
    .addOption(flag("--struck <list>", "servers or sites that lead only where nobody else can"))
    .addOption(flag("--hysteresis <words>", "of the oracle of that name, such as latency:10%:5s"))
    .addOption(flag("--requests <name>", "sent or offered: what counts as a server's load"))
    .addOption(
      flag("--resign <words>", "yes, or margin=10%,hold=10s,quiet=60s: a leader that is beaten gives way"),
    )
    .addOption(flag("--heartbeat <duration>", "the servers' period of measuring each other"))
    .addOption(flag("--first-leader <server>", "who leads when the load begins"))
    .addOption(flag("--runtime <name>", `auto, ${RUNTIMES.join(", ")}`).default("auto"))
    .addOption(flag("--duration <duration>", "of the load"))
    .addOption(flag("--warm-up <duration>", "not counted"))
    .addOption(flag("--settle <duration>", "from the fault to the second steady state"))
    .addOption(flag("--kill-at <duration>", "when the leader's process dies, or never"))
    .option("--fault <words>", FAULTS, collect, [])
    .addOption(flag("--rate <rate>", "of all clients together, such as 1000/s"))
    .addOption(flag("--arrivals <name>", "poisson or even"))
    .addOption(flag("--payload <bytes>", "of each write"))
    .addOption(flag("--client <name>", "typescript or kazoo"))
    .addOption(flag("--load <shares>", "such as caltech:1,slac:1,fnal:2"))
    .addOption(flag("--repeat <count>", "runs, with a seed each; of a comparison as many as it needs"))
    .addOption(flag("--seed <number>", "of the first run"))
    .option("--quick", "shorter phases; the network stays what it is")
    .option("--threshold <words>", "such as 'outage<2s'; may be repeated", collect, [])
    .addOption(flag("--out <folder>", "where reports go").default("reports"))
    .option("--json", "print the summary as one JSON document")
    .option("--quiet", "no progress");
}

/** Where it will run, said before anything else. */
export async function chooseRuntime(
  flags: Pick<RunFlags, "runtime" | "quiet">,
  demand: RuntimeDemand = { systems: [], ownOracle: false, bends: false },
): Promise<Runtime> {
  const { runtime, reason } = await runtimeOf(flags.runtime, demand);
  if (flags.quiet !== true) console.error(`runtime: ${runtime} (${reason})`);
  return runtime;
}

/** What one trial with these flags needs. */
export const demandOf = ({ system, oracle, fault = [] }: RunFlags): RuntimeDemand => ({
  systems: isSystemName(system ?? "") ? [system as SystemName] : [],
  ownOracle: isModulePath(oracle ?? ""),
  bends: fault.some((text) => mayBend(text)),
});

export function thresholdsOf(given: readonly string[], sites: readonly string[]): readonly Threshold[] {
  return given.map((text) => {
    const parsed = parseThreshold(text, sites);
    if (typeof parsed === "string") throw new RefusedInput(`--threshold: ${parsed}`);
    return parsed;
  });
}

export function countOf(flag: string, given: string | undefined, byDefault: number): number {
  if (!given) return byDefault;
  if (!/^[1-9][0-9]{0,3}$/.test(given))
    throw new RefusedInput(`--${flag}: "${given}" is no number from 1 to 9999`);
  return Number(given);
}

export const collect = (value: string, before: readonly string[]): readonly string[] =>
  value === "" ? before : [...before, value];

const FAULTS =
  "may be repeated: '60s crash leader', crash-machine p4, pause site:slac, resume p1, restart crashed, " +
  "cut p1 p4, cut site:fnal, cut-one-way p1 p4, heal, forget-bulk p1 p4, link slac fnal 100ms, " +
  "loss slac fnal 5%, duplicate p1 p4 5%, corrupt p1 p4 5%, rate p1 p4 10mbit, disk-full p3, " +
  "disk-failing p3, disk-torn p3, disk-slow site:slac 200ms, disk-stuck p3, " +
  "disk-wiped p3, disk-mended p3, clock-jump p3 -5s, clock-leap p3 5s";
