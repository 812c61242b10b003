/** The swarm of whole servers from a shell: `sim`. */

import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { EXIT } from "../../core/exit-code.ts";
import { type Mutant, MUTANTS, SERVER_MUTANTS } from "../../core/mutant.ts";
import { inThreads } from "../../host/virtual/swarm/swarm.ts";
import { printServerKills, printServerWorld, printShrunk, type ServerKill, ServerTally } from "./report.ts";
import { liveThroughWorld, type ServerOutcome } from "./run.ts";
import { allOf, reducedTo, shrink } from "./shrink.ts";
import { drawServerWorld } from "./world.ts";

const ALL = [...Object.keys(MUTANTS), ...Object.keys(SERVER_MUTANTS)] as Mutant[];
/** As many as it may take until a mistake is found. */
const MUTANT_SEEDS = 5000;

const USAGE = `usage: main.ts sim [--seeds N] [--from K] [--threads N] [--mutant NAME]
       main.ts mutants [--seeds N] [--mutant NAME] [--threads N] [--write]
       main.ts sim --seed K [--incidents 1,2|none] [--guests g1,g2|none] [--mutant NAME]`;

class UsageError extends Error {}

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      seed: { type: "string" },
      threads: { type: "string" },
      mutant: { type: "string" },
      incidents: { type: "string" },
      guests: { type: "string" },
      write: { type: "boolean" },
    },
  });
  const mutant = values.mutant === undefined ? null : asMutant(values.mutant);
  const threads = asCount("threads", values.threads ?? `${availableParallelism()}`);
  if (positionals[0] === "mutants") {
    const seeds = asCount("seeds", values.seeds ?? `${MUTANT_SEEDS}`);
    return mutants(mutant === null ? ALL : [mutant], seeds, threads, values.write === true);
  }
  if (positionals[0] !== "sim") throw new UsageError(USAGE);
  if (values.seed !== undefined) return one(asCount("seed", values.seed), values, mutant);
  return swarm(asCount("from", values.from ?? "1"), asCount("seeds", values.seeds ?? "500"), threads, mutant);
}

function asCount(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new UsageError(`--${name} ${text}: a whole number is wanted`);
}

function asMutant(name: string): Mutant {
  const found = ALL.find((one) => one === name);
  if (found !== undefined) return found;
  throw new UsageError(`--mutant ${name}: no such mutant; there are ${ALL.join(", ")}`);
}

async function one(
  seed: number,
  parts: { readonly incidents?: string | undefined; readonly guests?: string | undefined },
  mutant: Mutant | null,
): Promise<number> {
  const whole = drawServerWorld(seed);
  const all = allOf(whole);
  const world = reducedTo(whole, {
    incidents: parts.incidents === undefined ? all.incidents : listed(parts.incidents).map(Number),
    guests: parts.guests === undefined ? all.guests : listed(parts.guests),
  });
  const outcome = await liveThroughWorld(world, mutant);
  console.log([printServerWorld(world), ...outcome.story].join("\n"));
  const { transactions, answers, fingerprint, reached, violation } = outcome;
  for (const [what, times] of Object.entries(reached)) console.log(`${String(times).padStart(8)}  ${what}`);
  console.log(`seed ${seed}: ${transactions} transactions, ${answers} answers, run ${fingerprint}`);
  if (violation === null) return EXIT.passed;
  console.log(`VIOLATION in seed ${seed}: ${violation}`);
  return EXIT.failed;
}

const listed = (text: string): string[] => (text === "none" ? [] : text.split(","));

async function swarm(from: number, seeds: number, threads: number, mutant: Mutant | null): Promise<number> {
  const tally = new ServerTally();
  let failed = 0;
  const began = performance.now();
  for await (const outcome of outcomes(from, seeds, threads, mutant)) {
    tally.add(outcome);
    if (outcome.violation === null) continue;
    failed += 1;
    console.log(printShrunk(await shrink(drawServerWorld(outcome.seed), mutant, outcome), mutant));
  }
  const minutes = (performance.now() - began) / 60_000;
  console.log(`${tally.coverage}\n${"worlds".padStart(8)}  in which it was reached`);
  console.log(
    `seeds ${from} to ${from + seeds - 1}: ${tally.summary}; ${Math.round(seeds / minutes)} worlds a minute`,
  );
  console.log(`${seeds - failed} passed, ${failed} failed`);
  return failed === 0 ? EXIT.passed : EXIT.failed;
}

function outcomes(
  from: number,
  seeds: number,
  threads: number,
  mutant: Mutant | null,
): AsyncGenerator<ServerOutcome> {
  const wanted = function* (): Generator<unknown> {
    for (let seed = from; seed < from + seeds; seed++) yield { seed, mutant };
  };
  return inThreads<ServerOutcome>(new URL("./worker.ts", import.meta.url), wanted(), threads);
}

async function mutants(
  hunted: readonly Mutant[],
  seeds: number,
  threads: number,
  write: boolean,
): Promise<number> {
  const kills: ServerKill[] = [];
  for (const mutant of hunted) {
    const kill = await hunt(mutant, seeds, threads);
    kills.push(kill);
    console.error(
      `${mutant}: ${kill.seed === null ? `survived ${seeds} worlds` : `died in world ${kill.seed}`}`,
    );
  }
  const table = printServerKills(kills);
  console.log(table);
  if (write) writeTable(table);
  const survivors = kills.filter(({ seed }) => seed === null).length;
  console.log(`${kills.length - survivors} passed, ${survivors} failed`);
  return survivors === 0 ? EXIT.passed : EXIT.failed;
}

/** Seeds begin with 1, so that the seed that kills is how many worlds it took. */
async function hunt(mutant: Mutant, seeds: number, threads: number): Promise<ServerKill> {
  for await (const { seed, violation } of outcomes(1, seeds, threads, mutant)) {
    if (violation !== null) return { mutant, seed, by: violation.split("\n")[0] ?? "" };
  }
  return { mutant, seed: null, by: "" };
}

/** The table stands between two marks of the README beside this file. */
function writeTable(table: string): void {
  const path = new URL("./README.md", import.meta.url);
  const [before, , behind] = readFileSync(path, "utf8").split(/<!-- (?:end of )?mutants -->\n/);
  writeFileSync(path, `${before}<!-- mutants -->\n${table}\n<!-- end of mutants -->\n${behind}`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError) && !(error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS"))
    throw error;
  console.error((error as Error).message);
  process.exitCode = EXIT.usage;
}
