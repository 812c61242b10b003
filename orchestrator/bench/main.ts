/**
 * `make bench`: arms in an order that is drawn, by one load each in its own protocol, on the same disk, with
 * fsync. The table goes to stdout, progress to stderr, every attempt and the result to `reports/bench/NAME/`.
 * What was measured there under the same terms is not measured again.
 */

import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { enter } from "../book/store.ts";
import { commit } from "../recording/environment.ts";
import { sourcesOf } from "../recording/sources.ts";
import { prepareEnsemble } from "../system/ensemble.ts";
import { ARMS, mostOutstanding, OURS, OURS_AGAIN, systemOf } from "./arm.ts";
import { compare, printComparison, repetitionsOf } from "./comparison.ts";
import { recordOfBench } from "./record.ts";
import { type Attempt, type Cell, AttemptFile } from "./attempt-file.ts";
import { cellsOf, leastCapacity, type Order } from "./order.ts";
import { type Effort, NotCounted } from "./measurement.ts";
import type { Values } from "./metric.ts";
import { SCENARIOS, type ScenarioName } from "./scenario.ts";

interface Flags extends Effort, Order {
  readonly name: string;
  readonly quick?: boolean;
  readonly tmpfs?: boolean;
}

const REPORTS = fileURLToPath(new URL("../../reports/bench/", import.meta.url));
/** Disturbed, never warm, or broken: then once more, and once more. */
const ATTEMPTS = 3;
/** Of tmpfs, as statfs(2) tells it. */
const TMPFS = 0x01021994;
/** Three systems in at most 12 minutes on a machine at rest. */
const QUICK = {
  system: [OURS, "zookeeper-tuned", "etcd-tuned"],
  scenario: ["steady", "takeovers"] as const,
  repetitions: 2,
  seconds: 4,
  kills: 1,
};

const NAMES = Object.keys(SCENARIOS);

const given = new Command("bench")
  .option("--system <name...>", "which to measure", among(ARMS), [...ARMS])
  .option("--scenario <name...>", "what to put them through", among(NAMES), [...NAMES])
  .option("--repetitions <n>", "of everything; intervals are told from 6 on", Number, 6)
  .option("--warm-up-seconds <n>", "before each measurement at least", Number, 2)
  .option("--steady-within-seconds <n>", "how long it may take to be steady then", Number, 20)
  .option("--seconds <n>", "of each measurement", Number, 10)
  .option("--kills <n>", "of the leader, in each repetition", Number, 3)
  .option("--seed <n>", "of the order", Number, 1)
  .option("--name <name>", "of the folder in reports/bench", "latest")
  .option("--quick", "three systems, little of everything: for trying, not for believing")
  .option("--tmpfs", "measure although nothing reaches a disk")
  .parse();
const flags = { ...given.opts<Flags>(), ...(given.opts<Flags>().quick === true ? quickOf(given) : {}) };

const missing = [...new Set(flags.system.flatMap((arm) => systemOf(arm).missing() ?? []))];
const onTmpfs = statfsSync(tmpdir()).type === TMPFS;
if (onTmpfs && flags.tmpfs !== true)
  missing.push(`${tmpdir()} is a tmpfs, where fsync costs nothing: set TMPDIR to a disk, or say --tmpfs`);
if (missing.length > 0) {
  console.error(missing.join("\n"));
  process.exit(EXIT.cannotRun);
}

const folder = join(REPORTS, flags.name);
const terms = termsOf(flags);
const attempts = new AttemptFile(join(folder, "attempts.ndjson"), terms);
const cells = cellsOf(flags);
for (const [index, cell] of cells.entries()) await measured(cell, `${index + 1}/${cells.length}`);

const others = flags.system.filter((arm) => arm !== OURS);
const rows = compare(repetitionsOf(attempts.all, flags.repetitions), OURS, others);
process.stdout.write(printComparison(rows, OURS, others));
const invalid = attempts.all.filter(({ judgement }) => judgement === "invalid");
const absent = cells.filter((cell) => validOf(cell) === undefined);
const command = ["orchestrator/bench/main.ts", ...process.argv.slice(2)].join(" ");
const startedAt = attempts.all[0]?.at ?? "";
const made = {
  command,
  startedAt,
  commit: commit(),
  sources: sourcesOf(null),
  machine: machine(),
  settings: await settings(),
};
const file = join(folder, "bench.json");
mkdirSync(folder, { recursive: true });
writeFileSync(
  file,
  `${JSON.stringify({ version: 2, flags, made, rows, attempts: attempts.all }, null, 1)}\n`,
);
console.error(`${invalid.length} attempts do not count; written to ${file}`);
const lacking = absent.map(
  ({ arm, scenario, repetition }) => `no result: ${arm}, ${scenario}, repetition ${repetition}`,
);
for (const sentence of lacking) console.error(sentence);
const said = {
  command,
  asked: [terms, ...flags.scenario],
  arms: flags.system,
  repetitions: flags.repetitions,
};
enter(join(REPORTS, ".."), folder, recordOfBench(attempts.all, said, lacking));
if (absent.length > 0) process.exitCode = EXIT.unknown;
else process.exitCode = rows.some(({ reached }) => reached === false) ? EXIT.failed : EXIT.passed;

/** What was said besides is meant. */
function quickOf(command: Command): Partial<Flags> {
  const isDefault = (name: string): boolean => command.getOptionValueSource(name) === "default";
  return Object.fromEntries(Object.entries(QUICK).filter(([name]) => isDefault(name)));
}

/** Other terms are another bench: code, effort, and who else sets the limits of the load. */
function termsOf({ system, warmUpSeconds, steadyWithinSeconds, seconds, kills }: Flags): string {
  const limits = mostOutstanding(system, 3, 30);
  const { type } = statfsSync(tmpdir());
  return JSON.stringify({
    sources: sourcesOf(null),
    system: [...system].sort(),
    warmUpSeconds,
    steadyWithinSeconds,
    seconds,
    kills,
    limits,
    type,
  });
}

function validOf(cell: Cell): Attempt | undefined {
  return attempts.of(cell).find(({ judgement }) => judgement === "valid");
}

async function measured(cell: Cell, place: string): Promise<void> {
  const { arm, scenario } = cell;
  if (validOf(cell) !== undefined) return;
  const most = (servers: number, clients: number, asked?: number): number | null =>
    mostOutstanding(flags.system, servers, clients, asked);
  const capacity = (): number | null => leastCapacity(attempts.all, cell.repetition, flags.system);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const values = await SCENARIOS[scenario as ScenarioName](systemOf(arm), {
        effort: flags,
        most,
        capacity,
      });
      attempts.add({ ...cell, judgement: "valid", reason: null, values });
      console.error(`${place} ${arm} ${scenario}: ${printValues(values)}`);
      return;
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
      attempts.add({ ...cell, judgement: "invalid", reason, values: {} });
      console.error(`${place} ${arm} ${scenario}: ${error instanceof NotCounted ? "" : "failed: "}${reason}`);
    }
  }
}

function printValues(values: Values): string {
  const print = ([name, seen]: [string, readonly number[]]): string =>
    `${name} ${seen.map((value) => Number(value.toPrecision(4))).join(" ")}`;
  return Object.entries(values).map(print).join(", ");
}

function among<Name extends string>(choices: readonly Name[]) {
  return (name: string, before: readonly Name[] | undefined): Name[] => {
    const found = choices.find((one) => one === name);
    if (found === undefined) throw new InvalidArgumentError(`One of ${choices.join(", ")}.`);
    return before === undefined || before.length === choices.length ? [found] : [...before, found];
  };
}

/** What each arm was told, as it lies in its servers' folders. */
async function settings(): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  for (const arm of flags.system.filter((name) => name !== OURS_AGAIN)) {
    const system = systemOf(arm);
    await using ensemble = await prepareEnsemble(system, 3);
    told[arm] = { version: system.version(), ...ensemble.servers[0]?.told() };
  }
  return told;
}

function machine(): Record<string, string | number | boolean> {
  const [processor] = cpus();
  return {
    processor: processor?.model ?? "unknown",
    processors: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
    fileSystem: `0x${statfsSync(tmpdir()).type.toString(16)}`,
    tmpfs: onTmpfs,
  };
}
