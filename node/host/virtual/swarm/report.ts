/** What a person reads: of one world and of a swarm. */

import { valuesOf } from "../../../election/catalog.ts";
import type { Outcome } from "./run.ts";
import { mayNotEnd, printFault, type World } from "./world.ts";

export function printWorld({ seed, servers, incidents, election, resign, ...world }: World): string {
  const settings = Object.entries(world)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name} ${String(value)}`);
  const chosen = Object.entries(valuesOf(election)).map(([name, value]) => `${name} ${String(value)}`);
  settings.push(`election ${election.name}`, ...chosen);
  if (resign !== null)
    settings.push(`leaders resign after ${resign.hold / 1e3} ms, ${resign.quiet / 1e3} ms after a change`);
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
  /** By why they need not end: worlds, and how many found no leader. */
  readonly #unsure = new Map<string, { readonly worlds: number; readonly stuck: number }>();
  transactions = 0;
  answers = 0;
  epochs = 0;
  incidents = 0;
  virtualSeconds = 0;

  add(outcome: Outcome): void {
    this.worlds += 1;
    const why = mayNotEnd(outcome.world);
    if (why !== null) {
      const { worlds, stuck } = this.#unsure.get(why) ?? { worlds: 0, stuck: 0 };
      this.#unsure.set(why, { worlds: worlds + 1, stuck: stuck + (outcome.stuck === null ? 0 : 1) });
    }
    this.transactions += outcome.transactions;
    this.answers += outcome.answers;
    this.epochs += outcome.epochs;
    this.incidents += outcome.world.incidents.length;
    this.virtualSeconds += outcome.virtualTime / 1e6;
  }

  get summary(): string {
    const stuck = [...this.#unsure].map(
      ([why, { worlds, stuck: lost }]) => `with ${why} ${lost} of ${worlds} worlds found no leader`,
    );
    return (
      `${this.worlds} worlds, ${Math.round(this.virtualSeconds)} virtual seconds, ` +
      `${this.incidents} faults, ${this.epochs} epochs, ${this.transactions} transactions, ` +
      [`${this.answers} checked answers`, ...stuck].join("; ")
    );
  }
}
