/** What a person reads of worlds of whole servers: of one, of a swarm, and of what it reached. */

import type { ServerOutcome } from "./run.ts";
import { printIncident } from "./fault.ts";
import type { Kept, Shrunk } from "./shrink.ts";
import type { ServerWorld } from "./world.ts";

export function printServerWorld({
  seed,
  servers,
  incidents,
  guests,
  strangers,
  settings,
  features,
  ...world
}: ServerWorld): string {
  const values = Object.entries({ ...world, ...settings }).map(([name, value]) => `${name} ${String(value)}`);
  return [
    `seed ${seed}: ${servers.length} servers, ${values.join(", ")}`,
    ...guests.map(({ name, ...plan }) => `  ${name}: ${JSON.stringify(plan)}`),
    ...strangers.map(({ kind, at, server }) => `  a stranger: ${kind}, at p${server} after ${at / 1e6} s`),
    ...(features.crowd === null ? [] : [`  a crowd: ${JSON.stringify(features.crowd)}`]),
    ...features.handles.map((handle) => `  a second hold: ${JSON.stringify(handle)}`),
    ...incidents.map((incident) => `  ${printIncident(incident)}`),
  ].join("\n");
}

export function printShrunk({ kept, world, outcome }: Shrunk, mutant: string | null): string {
  return [
    "",
    printServerWorld(world),
    ...outcome.story.slice(-LAST_LINES),
    `VIOLATION in seed ${outcome.seed}: ${outcome.violation}`,
    `See it again: ${commandFor(outcome.seed, kept)}${mutant === null ? "" : ` MUTANT=${mutant}`}`,
  ].join("\n");
}

export const commandFor = (seed: number, { incidents, guests }: Kept): string =>
  `make sim WORLDS=server SEED=${seed} INCIDENTS=${listOf(incidents)} GUESTS=${listOf(guests)}`;

const listOf = (items: readonly unknown[]): string => items.join(",") || "none";

/** Adds up what stood behind a swarm's verdict. */
export class ServerTally {
  #worlds = 0;
  #transactions = 0;
  #answers = 0;
  #virtualSeconds = 0;
  readonly #reached = new Map<string, number>();

  add({ transactions, answers, virtualTime, reached }: ServerOutcome): void {
    this.#worlds += 1;
    this.#transactions += transactions;
    this.#answers += answers;
    this.#virtualSeconds += virtualTime / 1e6;
    for (const what of Object.keys(reached)) this.#reached.set(what, (this.#reached.get(what) ?? 0) + 1);
  }

  /** In how many worlds what was reached. */
  get coverage(): string {
    return [...this.#reached]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([what, worlds]) => `${String(worlds).padStart(8)}  ${what}`)
      .join("\n");
  }

  get summary(): string {
    return (
      `${this.#worlds} worlds, ${Math.round(this.#virtualSeconds)} virtual seconds, ` +
      `${this.#transactions} transactions, ${this.#answers} checked answers`
    );
  }
}

const LAST_LINES = 60;
