/** What a person reads: of one world, of a swarm, and of the mutants it was tried on. */

import { MUTANTS } from "../../../core/mutant.ts";
import type { Outcome } from "./run.ts";
import { printFault, type World } from "./world.ts";

export function printWorld({ seed, servers, incidents, ...world }: World): string {
  const settings = Object.entries(world)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name} ${String(value)}`);
  const faults = incidents.map(
    ({ at, lasts, fault }) =>
      `  at ${(at / 1e6).toFixed(3)} s for ${(lasts / 1e6).toFixed(3)} s: ${printFault(fault)}`,
  );
  return [`seed ${seed}: ${servers.length} servers, ${settings.join(", ")}`, ...faults].join("\n");
}

export function printFailure(outcome: Outcome): string {
  return [
    "",
    printWorld(outcome.world),
    outcome.transcript,
    `VIOLATION in seed ${outcome.seed}: ${outcome.violation}`,
    `See it again: make sim SEED=${outcome.seed}`,
  ].join("\n");
}

/** Adds up what stood behind a swarm's verdict. */
export class Tally {
  worlds = 0;
  stuck = 0;
  toTheLetter = 0;
  transactions = 0;
  answers = 0;
  epochs = 0;
  incidents = 0;
  virtualSeconds = 0;

  add(outcome: Outcome): void {
    this.worlds += 1;
    this.stuck += outcome.stuck === null ? 0 : 1;
    this.toTheLetter += outcome.world.knownDown ? 0 : 1;
    this.transactions += outcome.transactions;
    this.answers += outcome.answers;
    this.epochs += outcome.epochs;
    this.incidents += outcome.world.incidents.length;
    this.virtualSeconds += outcome.virtualTime / 1e6;
  }

  get summary(): string {
    return (
      `${this.worlds} worlds, ${Math.round(this.virtualSeconds)} virtual seconds, ` +
      `${this.incidents} faults, ${this.epochs} epochs, ${this.transactions} transactions, ` +
      `${this.answers} checked answers; ` +
      `with the paper's election to the letter ${this.stuck} of ${this.toTheLetter} worlds found no leader`
    );
  }
}

export interface Kill {
  readonly mutant: keyof typeof MUTANTS;
  /** Worlds tried until it died, or null when it survived them all. */
  readonly worlds: number | null;
  readonly seed: number;
  readonly by: string;
}

export function printKills(kills: readonly Kill[]): string {
  const rows = kills.map(({ mutant, worlds, seed, by }) => {
    const dead = worlds === null ? "survived" : `${worlds}`;
    return `| ${mutant} | ${MUTANTS[mutant]} | ${dead} | ${seed} | ${by} |`;
  });
  return [
    "| mutant | what is wrong | worlds | seed | what caught it |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
