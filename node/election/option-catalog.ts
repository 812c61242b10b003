/** The options of all elections, by name: what flags, files and plans know of them. */

import { elections, type ElectionName, entryOf } from "./catalog.ts";
import { type Option, printOption, type Value } from "./options.ts";

type Catalog = typeof elections;
type OptionsOf<Name extends ElectionName> = Catalog[Name]["options"];

/** A name that some election's option has. */
export type OptionName = { [Name in ElectionName]: keyof OptionsOf<Name> & string }[ElectionName];

type Described = { readonly [Name in ElectionName]: OptionsOf<Name> }[ElectionName];
/** What an option of this name can be. */
export type OptionValue<Name extends OptionName> = Value<
  Extract<Described, Readonly<Record<Name, Option>>>[Name]
>;

export interface NamedOption {
  readonly name: OptionName;
  /** As the first of its elections describes it. */
  readonly option: Option;
  readonly elections: readonly ElectionName[];
  /** What holds when nobody says anything, if that is the same in all of them; else nothing. */
  readonly usual: string;
  /** What it does, and in which elections. */
  readonly sentence: string;
}

const names = Object.keys(elections) as ElectionName[];

export const options: readonly NamedOption[] = [
  ...new Set(names.flatMap((name) => Object.keys(entryOf(name).options) as OptionName[])),
].map((name) => {
  const having = names.filter((election) => Object.hasOwn(entryOf(election).options, name));
  const described = having.map((election) => entryOf(election).options[name] as Option);
  const defaults = new Set(described.map((option) => printOption(option, option.default)));
  const option = described[0] as Option;
  const sentence = `${option.sentence} (${having.join(", ")})`;
  return {
    name,
    option,
    elections: having,
    usual: defaults.size === 1 ? [...defaults].join("") : "",
    sentence,
  };
});

/** Why this election cannot be told this option, or null. */
export function misplaced(election: ElectionName, name: OptionName): string | null {
  const having = options.find((option) => option.name === name)?.elections ?? [];
  if (having.includes(election)) return null;
  const others = `${having.join(", ")} ${having.length > 1 ? "have" : "has"}`;
  return `the election ${election} has no such option, only ${others}`;
}
