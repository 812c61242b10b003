/** The simulator's commands: `sim`, `mutants`, `bench`. */

import { parseArgs } from "node:util";
import { EXIT } from "../../core/exit-code.ts";
import { type Mutant, MUTANTS } from "../../core/mutant.ts";
import { type ElectionName, elections } from "../../election/catalog.ts";
import { benchmark } from "./bench.ts";
import { printFailure, printWorld, Tally } from "./swarm/report.ts";
import { liveThrough } from "./swarm/run.ts";
import { outcomes } from "./swarm/swarm.ts";
import { asCount, asOneOf, run, seedsFrom, UsageError } from "../../testing/swarm/command-line.ts";
import { hunt } from "../../testing/swarm/hunt.ts";

const USAGE = `usage: main.ts sim [--seeds N] [--from K] [--seed K] [--mutant NAME] [--election NAME]
       main.ts mutants [--seeds N] [--mutant NAME] [--election NAME] [--write]
       main.ts bench`;

const ALL = Object.keys(MUTANTS) as Mutant[];
const ELECTIONS = Object.keys(elections) as ElectionName[];
/** As many as it may take until a mistake is found. */
const MUTANT_SEEDS = 2000;
const PAGE = new URL("./README.md", import.meta.url);

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
  const mutant = values.mutant === undefined ? null : asOneOf("mutant", values.mutant, ALL);
  const election = values.election === undefined ? null : asOneOf("election", values.election, ELECTIONS);
  switch (positionals[0]) {
    case "sim":
      if (values.seed !== undefined) return one(asCount("seed", values.seed), mutant, election);
      return swarm(
        asCount("from", values.from ?? "1"),
        asCount("seeds", values.seeds ?? "1000"),
        mutant,
        election,
      );
    case "mutants": {
      const seeds = asCount("seeds", values.seeds ?? `${MUTANT_SEEDS}`);
      return hunt({
        mutants: mutant === null ? ALL : [mutant],
        seeds,
        worlds: (mistake) => outcomes(seedsFrom(1, seeds), mistake, election),
        page: values.write === true ? PAGE : null,
      });
    }
    case "bench":
      benchmark();
      return EXIT.passed;
    default:
      throw new UsageError(USAGE);
  }
}

function one(seed: number, mutant: Mutant | null, election: ElectionName | null): number {
  const outcome = liveThrough(seed, mutant, election);
  if (outcome.violation !== null) {
    console.log(printFailure(outcome));
    return EXIT.failed;
  }
  console.log(`${printWorld(outcome.world)}\n${outcome.transcript}`);
  const { transactions, answers, epochs, fingerprint, stuck } = outcome;
  console.log(
    `seed ${seed}: ${transactions} transactions, ${answers} answers, ${epochs} epochs, run ${fingerprint}`,
  );
  if (stuck !== null) console.log(`the paper's election to the letter: ${stuck}`);
  return EXIT.passed;
}

async function swarm(
  from: number,
  seeds: number,
  mutant: Mutant | null,
  election: ElectionName | null,
): Promise<number> {
  const tally = new Tally();
  let failed = 0;
  for await (const outcome of outcomes(seedsFrom(from, seeds), mutant, election)) {
    tally.add(outcome);
    if (outcome.violation === null) continue;
    failed += 1;
    console.log(printFailure(outcome));
  }
  console.log(`seeds ${from} to ${from + seeds - 1}: ${tally.summary}`);
  console.log(`${seeds - failed} passed, ${failed} failed`);
  return failed === 0 ? EXIT.passed : EXIT.failed;
}

await run(main);
