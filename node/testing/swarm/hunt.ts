/**
 * Does a swarm bite? One mistake at a time is switched on, and world after world is lived through until one
 * shows it.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { EXIT } from "../../core/exit-code.ts";
import { type Mutant, mistakeOf } from "../../core/mutant.ts";

export interface Hunt {
  readonly mutants: readonly Mutant[];
  /** How many worlds a mutant is hunted through. */
  readonly seeds: number;
  /**
   * Those of seeds 1 to `seeds` with this mistake in them, so that the seed that kills is how many worlds it
   * took.
   */
  readonly worlds: (mutant: Mutant) => AsyncIterable<Lived>;
  /** The page whose table, between two marks, becomes the one of this hunt. */
  readonly page: URL | null;
}

interface Lived {
  readonly seed: number;
  readonly violation: string | null;
}

export interface Kill {
  readonly mutant: Mutant;
  /** Null when it survived all worlds. */
  readonly seed: number | null;
  readonly by: string;
}

export async function hunt({ mutants, seeds, worlds, page }: Hunt): Promise<number> {
  const kills: Kill[] = [];
  for (const mutant of mutants) {
    const kill = await firstToShow(mutant, worlds(mutant));
    kills.push(kill);
    console.error(
      `${mutant}: ${kill.seed === null ? `survived ${seeds} worlds` : `died in world ${kill.seed}`}`,
    );
  }
  console.log(printKills(kills));
  if (page !== null) writeTable(page, kills);
  const survivors = kills.filter(({ seed }) => seed === null).length;
  console.log(`${kills.length - survivors} passed, ${survivors} failed`);
  return survivors === 0 ? EXIT.passed : EXIT.failed;
}

async function firstToShow(mutant: Mutant, worlds: AsyncIterable<Lived>): Promise<Kill> {
  for await (const { seed, violation } of worlds) {
    if (violation !== null) return { mutant, seed, by: violation.split("\n")[0] ?? "" };
  }
  return { mutant, seed: null, by: "" };
}

const HEAD = ["| mutant | what is wrong | world | what caught it |", "|---|---|---|---|"];

const printKills = (kills: readonly Kill[]): string => [...HEAD, ...kills.map(rowOf)].join("\n");

function rowOf({ mutant, seed, by }: Kill): string {
  const told = by.replace(/^\w+: (?:seed \d+: )?/, "").replaceAll("|", "/");
  return `| ${mutant} | ${mistakeOf(mutant)} | ${seed ?? "survived"} | ${told} |`;
}

/** Rows of mutants that were not hunted stay as they were. */
export function renewed(table: string, kills: readonly Kill[]): string {
  const rows = new Map(
    table.split("\n").flatMap((row) => {
      const mutant = /^\| ([\w-]+) \|/.exec(row)?.[1];
      return mutant === undefined || mutant === "mutant" ? [] : [[mutant, row]];
    }),
  );
  for (const kill of kills) rows.set(kill.mutant, rowOf(kill));
  return [...HEAD, ...rows.values()].join("\n");
}

function writeTable(page: URL, kills: readonly Kill[]): void {
  const [before, old = "", behind] = readFileSync(page, "utf8").split(/<!-- (?:end of )?mutants -->\n/);
  writeFileSync(
    page,
    `${before}<!-- mutants -->\n${renewed(old, kills)}\n<!-- end of mutants -->\n${behind}`,
  );
}
