/**
 * `make bench`: Apache ZooKeeper and ours in turn, by the same load program, on the same disk, with fsync.
 * The table goes to stdout, progress to stderr, everything as JSON to `reports/bench/`.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { compare, printComparison, type Repetition } from "./comparison.ts";
import type { MetricName, Values } from "./metric.ts";
import { EXIT } from "#node/core/exit-code.ts";
import { type Effort, SCENARIOS, type ScenarioName } from "./scenario.ts";
import { DEFAULT_SYSTEM, SPEAKING_ZOOKEEPER, type SystemName, SYSTEMS } from "../system/catalog.ts";

interface Flags extends Effort {
  readonly system: readonly SystemName[];
  readonly scenario: readonly ScenarioName[];
  readonly repetitions: number;
}

/** Whose share the ratios are, and of whom. */
const COMPARED = [DEFAULT_SYSTEM, "zookeeper"] as const;
const REPORTS = fileURLToPath(new URL("../../reports/bench/", import.meta.url));
/** A machine is never quite idle. */
const QUIET_PERCENT = 10;

const flags = new Command("bench")
  .option("--system <name...>", "which to measure", among(SYSTEMS), [...SPEAKING_ZOOKEEPER])
  .option("--scenario <name...>", "what to put them through", among(SCENARIOS), Object.keys(SCENARIOS))
  .option("--repetitions <n>", "of everything, the systems in turn", Number, 3)
  .option("--warm-up-seconds <n>", "before each measurement", Number, 5)
  .option("--seconds <n>", "of each measurement", Number, 10)
  .option("--kills <n>", "of the leader, in each repetition", Number, 3)
  .parse()
  .opts<Flags>();

const missing = flags.system.flatMap((name) => SYSTEMS[name].missing() ?? []);
if (missing.length > 0) {
  console.error(missing.join("\n"));
  process.exit(EXIT.cannotRun);
}
const repetitions = await measureAll(flags);
const rows = compare(repetitions, ...COMPARED);
process.stdout.write(printComparison(rows, ...COMPARED));
const file = save({ flags, machine: machine(), rows, repetitions });
console.error(`written to ${file}`);
if (rows.some(({ metric, values }) => metric === "others" && Object.values(values).some(isMuch))) {
  console.error("The machine was not at rest: compare ratios only, and processor time before throughput.");
}
process.exitCode = rows.some(({ reached }) => reached === false) ? EXIT.failed : EXIT.passed;

function isMuch({ median }: { readonly median: number }): boolean {
  return median > QUIET_PERCENT;
}

async function measureAll({ system, scenario, repetitions: count, ...effort }: Flags): Promise<Repetition[]> {
  const all: Repetition[] = [];
  for (let repetition = 1; repetition <= count; repetition++) {
    const values: Record<string, Values> = {};
    for (const part of scenario) {
      // Whoever goes first meets a machine at rest: take turns at that, too.
      for (const name of repetition % 2 === 0 ? system.toReversed() : system) {
        const seen = await SCENARIOS[part](SYSTEMS[name], effort);
        values[name] = joined(values[name] ?? {}, seen);
        console.error(`${repetition}/${count} ${name} ${part}: ${printValues(seen)}`);
      }
    }
    all.push(values);
  }
  return all;
}

/** What two scenarios both measure is kept of both. */
function joined(a: Values, b: Values): Values {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])] as MetricName[];
  return Object.fromEntries(names.map((name) => [name, [...(a[name] ?? []), ...(b[name] ?? [])]]));
}

function printValues(values: Values): string {
  const print = ([name, seen]: [string, readonly number[]]): string =>
    `${name} ${seen.map((value) => Number(value.toPrecision(4))).join(" ")}`;
  return Object.entries(values).map(print).join(", ");
}

function among(choices: Readonly<Record<string, unknown>>) {
  return (name: string, others: readonly string[] | undefined): string[] => {
    if (!Object.hasOwn(choices, name)) {
      throw new InvalidArgumentError(`One of ${Object.keys(choices).join(", ")}.`);
    }
    const all = Object.keys(choices);
    return others === undefined || others.length === all.length ? [name] : [...others, name];
  };
}

function machine(): Record<string, string | number> {
  const [processor] = cpus();
  return {
    processor: processor?.model ?? "unknown",
    processors: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
  };
}

function save(document: Readonly<Record<string, unknown>>): string {
  mkdirSync(REPORTS, { recursive: true });
  const path = join(REPORTS, `${new Date().toISOString().replaceAll(":", "-")}.json`);
  writeFileSync(path, `${JSON.stringify({ version: 1, ...document }, null, 2)}\n`);
  return path;
}
