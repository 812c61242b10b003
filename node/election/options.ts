/**
 * What can be chosen about an election, as a value: flags, environment variables, keys of zoo.cfg, fields of
 * a plan, what the swarm draws, and the help text are all made from it.
 *
 * An option called `sitOut` is `--sit-out` as a flag. Elections that mean the same by an option may
 * share its name; then they also share its kind.
 */

import type { ServerId } from "../core/identity.ts";
import { serverId } from "../core/identity.ts";
import type { Duration } from "../core/time.ts";

interface OptionOf<Kind extends string, Value> {
  readonly kind: Kind;
  /** What holds when nobody says anything. */
  readonly default: Value;
  /** What it does, for the help text. */
  readonly sentence: string;
  /** In a plan's file, where that is not its own name. */
  readonly inPlans?: string;
  /** What the swarm draws from, besides the default. */
  readonly drawn?: readonly Value[];
}

/** The order of a ring: by id, or as listed. */
export type Order = "ids" | readonly ServerId[];

export type DurationOption = OptionOf<"duration", Duration>;
export type SwitchOption = OptionOf<"switch", boolean>;
export type CountOption = OptionOf<"count", number> & { readonly least: number; readonly most: number };
export type OrderOption = OptionOf<"order", Order>;
export type Option = DurationOption | SwitchOption | CountOption | OrderOption;

export type Value<O extends Option = Option> = O["default"] extends infer D
  ? O extends { readonly kind: "duration" }
    ? Duration
    : O extends { readonly kind: "switch" }
      ? boolean
      : O extends { readonly kind: "count" }
        ? number
        : O extends { readonly kind: "order" }
          ? Order
          : D
  : never;

export type Schema = Readonly<Record<string, Option>>;
/** One value for each option. */
export type Values<S extends Schema = Schema> = { readonly [Name in keyof S]: Value<S[Name]> };

/** As one would write it. */
export function printValue(value: Value): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? value.join(",") : String(value);
}

/** As one would write the value of this option. */
export function printOption(option: Option, value: Value): string {
  return option.kind === "duration" ? `${Number(value) / 1e3}ms` : printValue(value);
}

/** What is meant by `yes`, `on` and the like; null when nothing is. */
export const SWITCHED: Readonly<Record<string, boolean>> = {
  yes: true,
  on: true,
  true: true,
  no: false,
  off: false,
  false: false,
};

/** `sitOut` is `sit-out` on a command line. */
export const flagOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

export const PLACEHOLDER: Readonly<Record<Option["kind"], string>> = {
  duration: "time",
  switch: "yes|no",
  count: "n",
  order: "ids|list",
};

/** `ids`, `3,1,2` or `p3,p1,p2`; null when it is neither. */
export function parseOrder(text: string): Order | null {
  if (text === "ids") return text;
  const ids = text.split(",").map((id) => /^\s*p?(\d{1,3})\s*$/.exec(id)?.[1]);
  const numbers = ids.map(Number);
  if (ids.includes(undefined) || numbers.some((id) => id < 1 || id > 255)) return null;
  return numbers.map(serverId);
}

/** What is wrong with an order of these servers, or null. */
export function flawOfOrder(order: Order, servers: readonly ServerId[]): string | null {
  if (order === "ids") return null;
  const missing = servers.filter((server) => !order.includes(server));
  if (missing.length > 0) return `it has no place for p${missing.join(", p")}`;
  const other = order.find((server, at) => !servers.includes(server) || order.indexOf(server) !== at);
  if (other === undefined) return null;
  return servers.includes(other) ? `p${other} is in it twice` : `there is no server p${other}`;
}
