/** A world in which a promise was broken, made smaller for as long as one still is. */

import type { Mutant } from "../../core/mutant.ts";
import { liveThroughWorld, type ServerOutcome } from "./run.ts";
import type { ServerWorld } from "./world.ts";

/** What of a world is left. */
export interface Kept {
  readonly incidents: readonly number[];
  readonly guests: readonly string[];
}

export const allOf = ({ incidents, guests }: ServerWorld): Kept => ({
  incidents: incidents.map(({ number }) => number),
  guests: guests.map(({ name }) => name),
});

export const reducedTo = (world: ServerWorld, kept: Kept): ServerWorld => ({
  ...world,
  incidents: world.incidents.filter(({ number }) => kept.incidents.includes(number)),
  guests: world.guests.filter(({ name }) => kept.guests.includes(name)),
});

export interface Shrunk {
  readonly kept: Kept;
  readonly world: ServerWorld;
  readonly outcome: ServerOutcome;
}

/** Leaves out one incident or client after the other, again and again, until each is needed. */
export async function shrink(
  world: ServerWorld,
  mutant: Mutant | null,
  outcome: ServerOutcome,
): Promise<Shrunk> {
  let least: Shrunk = { kept: allOf(world), world, outcome };
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const kept of smaller(least.kept)) {
      const candidate = reducedTo(world, kept);
      const found = await liveThroughWorld(candidate, mutant);
      if (found.violation === null) continue;
      least = { kept, world: candidate, outcome: found };
      isSmaller = true;
      break;
    }
  }
  return least;
}

function* smaller({ incidents, guests }: Kept): Generator<Kept> {
  if (incidents.length > 2) {
    const half = incidents.length >> 1;
    yield { incidents: incidents.slice(half), guests };
    yield { incidents: incidents.slice(0, half), guests };
  }
  for (const one of incidents) yield { incidents: incidents.filter((other) => other !== one), guests };
  for (const one of guests) yield { incidents, guests: guests.filter((other) => other !== one) };
}
