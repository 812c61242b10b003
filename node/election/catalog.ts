/** Every election there is, by the name a user gives. A new one is a folder and a line here. */

import { assert } from "../core/assert.ts";
import { type Duration, microseconds } from "../core/time.ts";
import { bully } from "./bully/entry.ts";
import type { ElectionEntry } from "./entry.ts";
import type { Value, Values } from "./options.ts";
import { hs } from "./hs/entry.ts";
import { lcr } from "./lcr/entry.ts";
import { le } from "./le/entry.ts";
import { pole } from "./pole/entry.ts";
import { ring } from "./ring/entry.ts";
import { vote } from "./vote/entry.ts";

export const elections = {
  pole,
  bully,
  vote,
  lcr,
  hs,
  ring,
  le,
} as const satisfies Record<string, ElectionEntry>;

type Catalog = typeof elections;
export type ElectionName = keyof Catalog;
export const DEFAULT_ELECTION: ElectionName = "pole";

/** An election and what was chosen about it; what is missing has its default. */
export type ElectionChoice = {
  readonly [Name in ElectionName]: {
    readonly name: Name;
    readonly options?: Partial<Values<Catalog[Name]["options"]>>;
  };
}[ElectionName];

export const entryOf = (name: ElectionName): ElectionEntry => elections[name];

/** Whatever `given` has of the election's options; null and undefined are its default. */
export function choose(
  name: ElectionName,
  given: (option: string) => Value | null | undefined,
): ElectionChoice {
  const options: Record<string, Value> = {};
  for (const [option, { default: usual }] of Object.entries(entryOf(name).options)) {
    options[option] = given(option) ?? usual;
  }
  return { name, options };
}

/** All the times that it was told to wait: what an undisturbed round takes beside its messages. */
export function waitsOf(choice: ElectionChoice): Duration {
  const values = valuesOf(choice);
  const waits = Object.entries(entryOf(choice.name).options).filter(([, { kind }]) => kind === "duration");
  return microseconds(waits.reduce((sum, [option]) => sum + Number(values[option]), 0));
}

/** The choice with every option said. */
export function valuesOf(choice: ElectionChoice): Values {
  const chosen: Partial<Values> = choice.options ?? {};
  const { options } = entryOf(choice.name);
  for (const option of Object.keys(chosen)) {
    assert(Object.hasOwn(options, option), () => `the election ${choice.name} has no option ${option}`);
  }
  return Object.fromEntries(
    Object.entries(options).map(([option, { default: usual }]) => [option, chosen[option] ?? usual]),
  );
}

/** What is wrong with the options of this choice together, or null. */
export const flawOfChoice = (choice: ElectionChoice): string | null =>
  entryOf(choice.name).flawOf?.(valuesOf(choice)) ?? null;
