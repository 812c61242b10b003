/** The swarm of whole servers from a shell: `sim`. */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { EXIT } from "../../core/exit-code.ts";
import { type Mutant, MUTANTS, SERVER_MUTANTS } from "../../core/mutant.ts";
import { asCount, asOneOf, run, seedsFrom, UsageError } from "../swarm/command-line.ts";
import { hunt } from "../swarm/hunt.ts";
import { inThreads } from "../swarm/threads.ts";
import { printServerWorld, printShrunk, ServerTally } from "./report.ts";
import { liveThroughWorld, type ServerOutcome } from "./run.ts";
import { allOf, reducedTo, shrink } from "./shrink.ts";
import { drawServerWorld } from "./world.ts";

const ALL = [...Object.keys(MUTANTS), ...Object.keys(SERVER_MUTANTS)] as Mutant[];
/** As many as it may take until a mistake is found. */
const MUTANT_SEEDS = 5000;
const PAGE = new URL("./README.md", import.meta.url);

const USAGE = `usage: main.ts sim [--seeds N] [--from K] [--threads N] [--mutant NAME]
       main.ts mutants [--seeds N] [--mutant NAME] [--threads N] [--write]
       main.ts sim --seed K [--incidents 1,2|none] [--guests g1,g2|none] [--mutant NAME]`;

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
  const mutant = values.mutant === undefined ? null : asOneOf("mutant", values.mutant, ALL);
  const threads = asCount("threads", values.threads ?? `${availableParallelism()}`);
  if (positionals[0] === "mutants") {
    const seeds = asCount("seeds", values.seeds ?? `${MUTANT_SEEDS}`);
    return hunt({
      mutants: mutant === null ? ALL : [mutant],
      seeds,
      worlds: (mistake) => outcomes(1, seeds, threads, mistake),
      page: values.write === true ? PAGE : null,
    });
  }
  if (positionals[0] !== "sim") throw new UsageError(USAGE);
  if (values.seed !== undefined) return one(asCount("seed", values.seed), values, mutant);
  return swarm(asCount("from", values.from ?? "1"), asCount("seeds", values.seeds ?? "500"), threads, mutant);
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
    for (const seed of seedsFrom(from, seeds)) yield { seed, mutant };
  };
  return inThreads<ServerOutcome>(new URL("./worker.ts", import.meta.url), wanted(), threads);
}

await run(main);
