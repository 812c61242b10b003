/** The election of a plan: from flags, into the plan's file and back, by what its own options say. */

import { z } from "zod";
import { unreachable } from "#node/core/assert.ts";
import { type ServerId, serverId } from "#node/core/identity.ts";
import { microseconds } from "#node/core/time.ts";
import { contradictions, type Failures, SERVER, type Surroundings } from "#node/election/assumptions.ts";
import {
  choose,
  DEFAULT_ELECTION,
  type ElectionChoice,
  type ElectionName,
  elections,
  entryOf,
  flawOfChoice,
  valuesOf,
} from "#node/election/catalog.ts";
import {
  flagOf,
  type Option,
  printOption,
  type Schema,
  type Value,
  type Values,
} from "#node/election/options.ts";
import { type LectureName, lectures } from "#node/theory/catalog.ts";
import type { Fault, TimedFault } from "../fault/fault.ts";

export const ELECTION_NAMES = Object.keys(elections) as [ElectionName, ...ElectionName[]];

/** Why an election of the lectures that no server has cannot be one of servers; null where there is none. */
export function beyondServers(name: string): string | null {
  if (Object.hasOwn(elections, name) || !Object.hasOwn(lectures, name)) return null;
  const { timing } = lectures[name as LectureName];
  const assumes = { medium: "ring", failures: "none", messages: "reliable" } as const;
  const [contradiction] =
    timing === "rounds" ? contradictions(name, { ...assumes, timing: "rounds" }, SERVER) : [];
  const why = contradiction ?? `no server has the election ${name}`;
  return `${why}; make theory ALGORITHM=${name} shows it by itself`;
}

/** What an election meets in a trial with these faults, among so many servers. */
export function surroundingsOf(faults: readonly TimedFault[], servers: number): Surroundings {
  const kinds = new Set(faults.map(({ fault }) => fault.kind));
  const some = (...of: Fault["kind"][]): boolean => of.some((kind) => kinds.has(kind));
  const failures: Failures = some("restart") ? "crash-recovery" : some(...CRASHES) ? "crash" : "none";
  return {
    ...SERVER,
    failures,
    messages: some(...LOSSES) ? "lossy" : "reliable",
    servers,
  };
}

const CRASHES = ["crash", "crash-machine", "disk-full", "disk-failing", "disk-torn", "disk-wiped"] as const;
const LOSSES = ["crash-machine", "cut", "cut-one-way"] as const;

/** As it stands in the file: its name, then every option. */
export const printElection = (choice: ElectionChoice): ElectionFile => ({
  name: choice.name,
  ...printOptions(entryOf(choice.name).options, valuesOf(choice)),
});

/** In words, with what was chosen about it; empty where it is what nobody need choose. */
export function tellElection(choice: ElectionChoice): string {
  const { options } = entryOf(choice.name);
  const values = valuesOf(choice);
  const chosen = Object.entries(options).flatMap(([name, option]) => {
    const [text, usual] = [values[name] ?? option.default, option.default].map((value) =>
      printOption(option, value),
    );
    return text === usual ? [] : [` ${flagOf(name)} ${text}`];
  });
  return choice.name === DEFAULT_ELECTION && chosen.length === 0
    ? ""
    : `election ${choice.name}${chosen.join("")}`;
}

export function printOptions(options: Schema, values: Values): Record<string, FieldValue> {
  const fields = Object.entries(options).map(([name, option]): [string, FieldValue] => {
    const value = values[name] ?? option.default;
    return [fieldOf(name, option), typeof value === "object" ? [...value] : value];
  });
  return Object.fromEntries(fields);
}

const fieldOf = (name: string, { kind, inPlans = name }: Option): string =>
  kind === "duration" ? `${inPlans}Us` : inPlans;

type FieldValue = string | number | boolean | number[];
type ElectionFile = { readonly name: ElectionName } & Readonly<Record<string, FieldValue>>;

/** Reads it again. An option that was not yet there when the file was written has its default. */
export const electionFile = z
  .looseObject({ name: z.enum(ELECTION_NAMES) })
  .transform(({ name, ...fields }, context): ElectionChoice => {
    const values = readOptions(entryOf(name).options, fields, (field, what) => {
      context.addIssue({ code: "custom", path: [field], message: `the election ${name} ${what}` });
    });
    const choice = choose(name, (option) => values.get(option));
    const flaw = flawOfChoice(choice);
    if (flaw !== null) context.addIssue({ code: "custom", message: flaw });
    return choice;
  });

/** By option; what is wrong with a field is told. */
export function readOptions(
  options: Schema,
  fields: Readonly<Record<string, unknown>>,
  wrong: (field: string, what: string) => void,
): ReadonlyMap<string, Value> {
  const known = new Map(Object.entries(options).map(([option, of]) => [fieldOf(option, of), option]));
  const values = new Map<string, Value>();
  for (const [field, given] of Object.entries(fields)) {
    const option = known.get(field);
    const value = option === undefined ? null : readField(options[option] as Option, given);
    if (option !== undefined && value !== null) values.set(option, value);
    else
      wrong(field, option === undefined ? "has no such field" : `cannot have ${JSON.stringify(given)} there`);
  }
  return values;
}

/** Null when it is no value of this option. */
function readField(option: Option, given: unknown): Value | null {
  switch (option.kind) {
    case "duration":
      return typeof given === "number" && given >= 0 ? microseconds(given) : null;
    case "switch":
      return typeof given === "boolean" ? given : null;
    case "count":
      return typeof given === "number" && given >= option.least && given <= option.most ? given : null;
    case "order": {
      if (given === "ids") return given;
      const listed = z.array(z.int().min(1).max(255)).safeParse(given);
      return listed.success ? listed.data.map(serverId) : null;
    }
    default:
      return unreachable(option);
  }
}

/** The whole ring in the direction of travel, of an election that has one; else null. */
export function ringOf(choice: ElectionChoice, servers: Iterable<ServerId>): readonly ServerId[] | null {
  const { ring } = valuesOf(choice);
  if (ring === undefined) return null;
  return typeof ring === "object" ? ring : [...servers].sort((a, b) => a - b);
}
