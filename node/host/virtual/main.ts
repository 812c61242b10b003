/** The simulator's commands: `sim`, `mutants`, `bench`. */

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { MUTANTS } from "../../core/mutant.ts";
import { type ElectionName, elections } from "../../election/catalog.ts";
import { benchmark } from "./bench.ts";
import { type Kill, printFailure, printKills, printWorld, Tally } from "./swarm/report.ts";
import { liveThrough } from "./swarm/run.ts";
import { outcomes } from "./swarm/swarm.ts";
import { EXIT } from "../../core/exit-code.ts";

const USAGE = `usage: main.ts sim [--seeds N] [--from K] [--seed K] [--mutant NAME] [--election NAME]
       main.ts mutants [--seeds N] [--mutant NAME] [--election NAME] [--write]
       main.ts bench`;

/** As many as the issue of a mutant's death may take. */
const MUTANT_SEEDS = 2000;

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      seed: { type: "string" },
      mutant: { type: "string" },
      election: { type: "string" },
      write: { type: "boolean" },
    },
  });
  const mutant = values.mutant === undefined ? null : asMutant(values.mutant);
  const election = values.election === undefined ? null : asElection(values.election);
  switch (positionals[0]) {
    case "sim":
      if (values.seed !== undefined) return one(asCount("seed", values.seed), mutant, election);
      return swarm(
        asCount("from", values.from ?? "1"),
        asCount("seeds", values.seeds ?? "1000"),
        mutant,
        election,
      );
    case "mutants":
      return mutants(
        asCount("seeds", values.seeds ?? `${MUTANT_SEEDS}`),
        mutant,
        election,
        values.write === true,
      );
    case "bench":
      benchmark();
      return 0;
    default:
      throw new UsageError(USAGE);
  }
}

type Mutant = keyof typeof MUTANTS;

class UsageError extends Error {}

function asCount(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new UsageError(`--${name} ${text}: a whole number is wanted`);
}

function asMutant(name: string): Mutant {
  if (name in MUTANTS) return name as Mutant;
  throw new UsageError(`--mutant ${name}: no such mutant; there are ${Object.keys(MUTANTS).join(", ")}`);
}

function asElection(name: string): ElectionName {
  if (Object.hasOwn(elections, name)) return name as ElectionName;
  throw new UsageError(
    `--election ${name}: no such election; there are ${Object.keys(elections).join(", ")}`,
  );
}

function one(seed: number, mutant: Mutant | null, election: ElectionName | null): number {
  const outcome = liveThrough(seed, mutant, election);
  if (outcome.violation !== null) {
    console.log(printFailure(outcome));
    return 1;
  }
  console.log(`${printWorld(outcome.world)}\n${outcome.transcript}`);
  const { transactions, answers, epochs, fingerprint, stuck } = outcome;
  console.log(
    `seed ${seed}: ${transactions} transactions, ${answers} answers, ${epochs} epochs, run ${fingerprint}`,
  );
  if (stuck !== null) console.log(`the paper's election to the letter: ${stuck}`);
  return 0;
}

async function swarm(
  from: number,
  seeds: number,
  mutant: Mutant | null,
  election: ElectionName | null,
): Promise<number> {
  const tally = new Tally();
  let failed = 0;
  for await (const outcome of outcomes(range(from, seeds), mutant, election)) {
    tally.add(outcome);
    if (outcome.violation === null) continue;
    failed += 1;
    console.log(printFailure(outcome));
  }
  console.log(`seeds ${from} to ${from + seeds - 1}: ${tally.summary}`);
  console.log(`${seeds - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function mutants(
  seeds: number,
  only: Mutant | null,
  election: ElectionName | null,
  write: boolean,
): Promise<number> {
  const kills: Kill[] = [];
  for (const mutant of only === null ? (Object.keys(MUTANTS) as Mutant[]) : [only]) {
    const kill = await hunt(mutant, seeds, election);
    kills.push(kill);
    console.error(
      `${mutant}: ${kill.worlds === null ? `survived ${seeds} worlds` : `died in world ${kill.worlds}`}`,
    );
  }
  const table = printKills(kills);
  console.log(table);
  if (write) writeTable(table);
  const survivors = kills.filter(({ worlds }) => worlds === null).length;
  console.log(`${kills.length - survivors} passed, ${survivors} failed`);
  return survivors === 0 ? 0 : 1;
}

async function hunt(mutant: Mutant, seeds: number, election: ElectionName | null): Promise<Kill> {
  let worlds = 0;
  for await (const { seed, violation } of outcomes(range(1, seeds), mutant, election)) {
    worlds += 1;
    if (violation === null) continue;
    const by = (violation.split("\n")[0] ?? "").replace(/^\w+: /, "").replaceAll("|", "/");
    return { mutant, worlds, seed, by };
  }
  return { mutant, worlds: null, seed: 0, by: "" };
}

/** The table stands between two marks of the README beside this file. */
function writeTable(table: string): void {
  const path = new URL("./README.md", import.meta.url);
  const text = readFileSync(path, "utf8");
  const [before, , after] = text.split(/<!-- mutants -->\n|<!-- end of mutants -->/);
  writeFileSync(path, `${before}<!-- mutants -->\n${table}\n<!-- end of mutants -->${after}`);
}

function* range(from: number, count: number): Generator<number> {
  for (let number = from; number < from + count; number++) yield number;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError) && !(error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS"))
    throw error;
  console.error((error as Error).message);
  process.exitCode = EXIT.usage;
}
