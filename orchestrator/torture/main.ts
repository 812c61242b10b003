/** `make torture`: tortures for so many minutes, run after run, and says what every run found. */

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Mutant } from "#node/core/mutant.ts";
import { contradictions, HARD } from "#node/election/assumptions.ts";
import { entryOf } from "#node/election/catalog.ts";
import { type Judgement, worst } from "../check/verdict.ts";
import { ELECTION_NAMES } from "../plan/election-plan.ts";
import { enter } from "../book/store.ts";
import { commit, environmentOf } from "../recording/environment.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { CannotRunHere } from "../testbed/environment.ts";
import { loadTopology } from "../topology/topology.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { HUNT_HEAD, hunt as huntFor, huntRow } from "./hunt.ts";
import { runIsolated } from "./isolation.ts";
import type { Report } from "./judgement.ts";
import { recordOfTorture } from "./book-record.ts";
import { DIRECTED, type Directed } from "./mutants.ts";
import { DEFAULT_SYSTEM, isSystemName, SYSTEM_NAMES, type SystemName, SYSTEMS } from "../system/catalog.ts";
import type { Torture } from "./plan.ts";
import { appendRecord, nameOf, readBroken, readRecord, tableOf } from "./record.ts";
import { STRIKES, type Strike, isStrike } from "./schedule.ts";

const USAGE = `usage: main.ts [--minutes 3] [--seed 1] [--topology lan,3dc]
  [--system ${SYSTEM_NAMES.join("|")}] [--election ${ELECTION_NAMES.join("|")}]
  [--side-by-side 2] [--record FILE] [--faults "crash,full disk"] [--clients 8] [--keep FOLDER]
       main.ts --mutant NAME|all [--write FILE]
       main.ts --table FILE

--record appends every run to FILE, and to the book beside it, and leaves out what is in it already;
--table prints it.
--keep leaves, of every run that is not valid, the servers' disks and words and the history there.
--mutant looks for a mistake with the faults that bring it out, at most 5 runs, then runs without
it; --write keeps the table.`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1e6) },
    topology: { type: "string", default: "lan" },
    system: { type: "string", default: DEFAULT_SYSTEM },
    election: { type: "string" },
    mutant: { type: "string" },
    faults: { type: "string" },
    clients: { type: "string", default: "8" },
    "side-by-side": { type: "string", default: "1" },
    record: { type: "string" },
    table: { type: "string" },
    keep: { type: "string" },
    write: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

/** How long one run is tortured; opening it and judging it comes on top. */
const RUN_SECONDS = { least: 15, usual: 60, beside: 20 };
const MUTANT_SECONDS = 30;

/** What could not be decided has not passed. */
const EXIT_OF = { valid: EXIT.passed, unknown: EXIT.unknown, invalid: EXIT.failed } as const;

class WrongUsage extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof WrongUsage || error instanceof RefusedInput;
  if (!isUsage && !(error instanceof CannotRunHere)) throw error;
  console.error(error instanceof WrongUsage ? `${error.message}\n${USAGE}` : error.message);
  process.exitCode = isUsage ? EXIT.usage : EXIT.cannotRun;
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(USAGE);
    return EXIT.passed;
  }
  if (values.table !== undefined) {
    console.log(tableOf(readRecord(values.table), readBroken(values.table)));
    return EXIT.passed;
  }
  if (values.mutant !== undefined) return huntAll(values.mutant);
  return tortureOn();
}

async function tortureOn(): Promise<number> {
  const { record } = values;
  const plans = plansFrom(record === undefined ? [] : readRecord(record));
  const end = performance.now() + positive("minutes", values.minutes) * 60_000;
  const judgements: Judgement[] = [];
  const lane = async (): Promise<void> => {
    for (let first = true; first || performance.now() < end; first = false) {
      const left = (end - performance.now()) / 1000 - RUN_SECONDS.beside;
      const seconds = Math.round(Math.max(RUN_SECONDS.least, Math.min(RUN_SECONDS.usual, left)));
      const origin = { at: new Date().toISOString(), commit: commit() };
      const plan = { ...plans.next().value, seconds };
      const report = await tried(plan);
      const isBroken = typeof report === "string";
      judgements.push(isBroken ? "invalid" : report.judgement);
      if (!isBroken) print(report);
      if (record === undefined) continue;
      const { seed, topology, system, election, mutant } = plan;
      const named = { seed, topology, system, mutant, ...(election !== undefined && { election }) };
      const line = isBroken ? { ...origin, ...named, broken: report } : { ...origin, ...report };
      appendRecord(record, line);
      const environment = environmentOf("network namespaces", commandOf(process.argv));
      enter(dirname(record), null, recordOfTorture(line, { ...environment }));
    }
  };
  const sideBySide = positive("side-by-side", values["side-by-side"]);
  await Promise.all(Array.from({ length: sideBySide }, lane));
  return EXIT_OF[worst(judgements)];
}

/** A run that breaks is a finding, and no reason to leave the others out; then why, in a line. */
async function tried(plan: Torture): Promise<Report | string> {
  try {
    return await runIsolated(plan);
  } catch (error) {
    if (error instanceof CannotRunHere) throw error;
    console.error(String(error));
    return String(error).split("\n", 1)[0] ?? "";
  }
}

/** Seed after seed, each on the next topology; none that has been run before. */
function* plansFrom(past: readonly Report[]): Generator<Torture, never> {
  const known = new Set(past.filter(({ mutant }) => mutant === null).map(nameOf));
  const topologies = values.topology.split(",");
  for (const topology of topologies) loadTopology(topology);
  const system = systemNamed(values.system);
  const plan = {
    system,
    ...electionOf(system, values.election),
    mutant: null,
    clients: positive("clients", values.clients),
  };
  const kinds = values.faults === undefined ? STRIKES : kindsNamed(values.faults);
  for (let seed = positive("seed", values.seed); ; seed++) {
    const topology = topologies[seed % topologies.length] ?? "";
    const keep = values.keep === undefined ? {} : { keep: join(values.keep, `${topology}-${seed}`) };
    const next = { ...plan, ...keep, topology, seed, seconds: RUN_SECONDS.usual, kinds };
    if (!known.has(nameOf(next))) yield next;
  }
}

/** Prints a table of which mistakes were found, by what, and writes it where it is asked to. */
async function huntAll(which: string): Promise<number> {
  const directed = Object.entries(DIRECTED) as [Mutant, Directed][];
  const hunted = which === "all" ? directed : directed.filter(([mutant]) => mutant === which);
  if (hunted.length === 0) {
    throw new WrongUsage(`--mutant ${which}: none of ${directed.map(([mutant]) => mutant).join(", ")}, all`);
  }
  const [topology = ""] = values.topology.split(",");
  const plan: Torture = {
    system: DEFAULT_SYSTEM,
    ...electionOf(DEFAULT_SYSTEM, values.election),
    mutant: null,
    topology,
    seed: positive("seed", values.seed),
    seconds: MUTANT_SECONDS,
    clients: positive("clients", values.clients),
    kinds: [],
  };
  const rows = [HUNT_HEAD];
  console.log(HUNT_HEAD);
  let escaped = 0;
  for (const [mutant, what] of hunted) {
    const hunt = await huntFor(mutant, what, plan, runIsolated);
    if (!hunt.isCaught) escaped += 1;
    rows.push(huntRow(hunt));
    console.log(rows.at(-1));
  }
  if (values.write !== undefined) writeFileSync(values.write, `${rows.join("\n")}\n`);
  return escaped > 0 ? EXIT.failed : EXIT.passed;
}

function commandOf(argv: readonly string[]): string {
  return ["make torture", ...argv.slice(2)].join(" ");
}

function print(report: Report): void {
  const { seed, topology, judgement, operations, acknowledged, servedAfterMs } = report;
  const kinds = Object.entries(report.faults);
  const faults = kinds.reduce((sum, [, count]) => sum + count, 0);
  console.log(
    `seed ${seed} on ${topology}: ${judgement}; ${faults} faults of ${kinds.length} kinds, ` +
      `${operations} operations checked, ${acknowledged} acknowledged, ` +
      `serving ${servedAfterMs ?? "not"} ms after the last fault`,
  );
  console.log(`  ${kinds.map(([kind, count]) => `${count} ${kind}`).join(", ")}`);
  for (const { property, judgement: found, operations: count, reasons } of report.findings) {
    console.log(`  ${found.padEnd(8)} ${property} (${count})`);
    for (const reason of reasons.slice(0, 3)) console.log(`             ${reason.slice(0, 800)}`);
  }
}

function systemNamed(name: string): SystemName {
  if (isSystemName(name)) return name;
  throw new WrongUsage(`--system ${name}: none of ${SYSTEM_NAMES.join(", ")}`);
}

/** Only one that is right where servers crash, come back, and are cut off from each other. */
function electionOf(system: SystemName, given: string | undefined): Pick<Torture, "election"> {
  if (given === undefined) return {};
  const election = ELECTION_NAMES.find((name) => name === given);
  if (election === undefined)
    throw new WrongUsage(`--election ${given}: none of ${ELECTION_NAMES.join(", ")}`);
  if (SYSTEMS[system].elects !== "by oracle")
    throw new WrongUsage(`--election ${given}: ${SYSTEMS[system].title} has an election of its own`);
  const [wrong] = contradictions(election, entryOf(election).assumes, HARD);
  if (wrong !== undefined) throw new WrongUsage(`--election ${given}: ${wrong}`);
  return { election };
}

function kindsNamed(names: string): readonly Strike[] {
  return names.split(",").map((name) => {
    if (isStrike(name)) return name;
    throw new WrongUsage(`--faults ${name}: none of ${STRIKES.join(", ")}`);
  });
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new WrongUsage(`--${flag} ${text}: a number above 0`);
}
