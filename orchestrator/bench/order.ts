/**
 * In which order a bench measures. Whoever goes first meets another machine than who comes last, so chance
 * says who does, each time anew. The shares of a capacity come last in each repetition, because they are of
 * what all arms were seen to take before.
 */

import { Random } from "#node/core/random.ts";
import { systemOf } from "./arm.ts";
import type { Attempt, Cell } from "./attempt-file.ts";
import type { ScenarioName } from "./scenario.ts";

export interface Order {
  readonly system: readonly string[];
  readonly scenario: readonly ScenarioName[];
  readonly repetitions: number;
  readonly seed: number;
}

export function cellsOf({ system, scenario, repetitions, seed }: Order): readonly Cell[] {
  const random = new Random(seed);
  return Array.from({ length: repetitions }, (_, index) => {
    const drawn = random.shuffle([...scenario]);
    const parts = [
      ...drawn.filter((part) => part !== "shares"),
      ...drawn.filter((part) => part === "shares"),
    ];
    return parts.flatMap((part) =>
      random
        .shuffle(system.filter((arm) => part !== "bigTree" || systemOf(arm).protocol === "ZooKeeper"))
        .map((arm): Cell => ({ repetition: index + 1, scenario: part, arm })),
    );
  }).flat();
}

/**
 * Of valid attempts of one repetition: what the arm of the fewest writes does; null while one is not known.
 */
export function leastCapacity(attempts: readonly Attempt[], repetition: number, arms: readonly string[]) {
  const each = arms.map((arm) => {
    const own = attempts.find(
      (one) =>
        one.arm === arm &&
        one.repetition === repetition &&
        one.judgement === "valid" &&
        one.values.writes3 !== undefined,
    );
    return own?.values.writes3?.[0] ?? null;
  });
  const known = each.filter((one) => one !== null);
  return known.length === arms.length && known.length > 0 ? Math.min(...known) : null;
}
