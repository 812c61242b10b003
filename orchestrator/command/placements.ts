/**
 * `polebench placements`: random placements in virtual time, and what of them exceeds what physics allows.
 */

import { setImmediate as breath } from "node:timers/promises";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { isAsDemanded, type Placed, place, summed } from "../experiments/placements.ts";
import { interruption } from "../terminal/interrupted.ts";
import { countOf } from "./trial-flags.ts";

interface PlacementsFlags {
  readonly seeds?: string;
  readonly seed?: string;
  readonly json?: boolean;
}

export function addPlacements(program: Command): void {
  program
    .command("placements")
    .description("places servers at random, kills the leader in virtual time, and lists what exceeds physics")
    .option("--seeds <n>", "so many placements, of the seeds from 1 on; 100 when not given")
    .option("--seed <n>", "the one placement of this seed")
    .option("--json", "print one JSON document")
    .action(async (flags: PlacementsFlags) => {
      process.exitCode = await placements(flags);
    });
}

async function placements(flags: PlacementsFlags): Promise<number> {
  const first = countOf("seed", flags.seed, 1);
  const count = flags.seed ? 1 : countOf("seeds", flags.seeds, 100);
  const placed: Placed[] = [];
  using stop = interruption();
  for (let seed = first; seed < first + count && !stop.signal.aborted; seed++) {
    const one = place(seed);
    placed.push(one);
    if (flags.json !== true)
      for (const [demand, found] of one.exceeds) console.log(`seed ${seed}: ${demand}: ${found}`);
    await breath();
  }
  if (flags.json === true) {
    const found = placed.map(({ seed, exceeds }) => ({ seed, exceeds: Object.fromEntries(exceeds) }));
    console.log(JSON.stringify(found, null, 1));
  } else for (const line of summed(placed)) console.log(line);
  if (stop.signal.aborted) return EXIT.interrupted;
  return placed.every(isAsDemanded) ? EXIT.passed : EXIT.failed;
}
