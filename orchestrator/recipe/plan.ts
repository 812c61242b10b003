/**
 * A trial of recipes as a value: who elects, where, by which rule, and what befalls them. Several recipes of
 * one plan go through the same troubles one after the other, before the same servers.
 */

import { type ServerId, serverId } from "#node/core/identity.ts";
import type { ServicePlan } from "../plan/plan.ts";

export const RECIPES = ["chain", "herd", "priority", "kazoo", "curator-latch", "curator-selector"] as const;
export type Recipe = (typeof RECIPES)[number];

/** One election and the recipes of those who stand in it: of one for all, or of several by turns. */
export interface Contest {
  /** With a `+` between several: `chain+kazoo`. */
  readonly name: string;
  readonly recipes: readonly [Recipe, ...Recipe[]];
  /** Right before the numbers of znodes, where those who stand there tell each other by it. */
  readonly word: Word | null;
}

export type Word = "latch-" | "lock-" | "__lock__";

/** What each looks for by itself; ours and kazoo's can be told another. */
const WORDS: Partial<Record<Recipe, Word>> = {
  kazoo: "__lock__",
  "curator-latch": "latch-",
  "curator-selector": "lock-",
};

const IN_LINE = RECIPES.filter((recipe) => recipe === "chain" || recipe in WORDS);

/** A sentence where they cannot stand in one election. */
export function contestOf(recipes: readonly [Recipe, ...Recipe[]]): Contest | string {
  const name = recipes.join("+");
  if (recipes.length === 1) return { name, recipes, word: null };
  const odd = recipes.find((recipe) => recipe === "priority" || recipe === "herd");
  if (odd !== undefined) return `${odd} stands alone: in one election stand ${IN_LINE.join(", ")}`;
  if (new Set(recipes).size < recipes.length) return `${name} names one of them twice`;
  const words = recipes.flatMap((recipe) => (recipe === "kazoo" ? [] : (WORDS[recipe] ?? [])));
  if (words.length > 1)
    return `Curator's latch and selector sort by ${words.join(" and ")}, so neither sees the other`;
  return { name, recipes, word: words[0] ?? (recipes.includes("kazoo") ? "__lock__" : null) };
}

/** What can befall an election, and for whom there is such a thing. */
export const TROUBLES = {
  kill: "the leading member is killed",
  leave: "the leading member leaves, and ends its session",
  "kill-elector": "the leading member and the elector are killed together",
  "kill-candidate": "the leading member leaves, and who takes over is killed on the way",
  "kill-ensemble-leader": "the server that leads the ensemble is killed, and comes back",
  "hang-takeover": "the leading member leaves, and who takes over first never gets ready",
  hang: "the leading member stands still until another leads, and goes on",
  stay: "another is preferred, and the leading member does not give up",
  transfer: "an operator hands leadership to another member",
  expire: "the leading member is cut off until another leads",
  "cut-site": "the leading member's site is cut off until another leads",
  "rolling-restart": "every server is killed and started again, one after the other",
} as const;

export type Trouble = keyof typeof TROUBLES;
export const TROUBLE_NAMES = Object.keys(TROUBLES) as readonly Trouble[];

/** They are about an elector, a candidate in progress, or an operator's wish. */
const OF_PRIORITY: ReadonlySet<Trouble> = new Set([
  "kill-elector",
  "kill-candidate",
  "hang-takeover",
  "stay",
  "transfer",
]);

export const WATCHING = ["lean", "all"] as const;

export interface RecipePlan {
  /** As it was asked for. */
  readonly topology: string;
  /** The ensemble, where it is, and who leads it. */
  readonly service: ServicePlan;
  readonly contests: readonly Contest[];
  /** Each befalls every recipe, in this order. */
  readonly troubles: readonly Trouble[];
  readonly times: number;
  /** Instead of all in their order: drawn from them for so long, in milliseconds. */
  readonly tortured: number | null;
  readonly members: readonly Placed[];
  /** As one says it: `first-id`, `site-order:fnal,slac`, `./mine.ts`. */
  readonly strategy: string;
  /** Of what members of priority elections are told: of what they need, or of everything. */
  readonly watching: (typeof WATCHING)[number];
  /** Milliseconds: of the members' sessions, of taking over, and how long an old or a new leader may take. */
  readonly timeout: number;
  readonly takeover: number;
  readonly within: number;
}

/** A member and its machine, which it has to itself. */
export interface Placed {
  readonly id: string;
  readonly site: string;
  readonly machine: ServerId;
  readonly score: number;
}

export const applies = (trouble: Trouble, { name }: Contest): boolean =>
  name === "priority" || !OF_PRIORITY.has(trouble);

/** Round robin over the sites; their machines are numbered after the servers. */
export function placed(count: number, { topology }: ServicePlan): readonly Placed[] {
  const sites = [...topology.sites.keys()];
  const first = Math.max(...topology.servers.keys()) + 1;
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index + 1}`,
    site: sites[index % sites.length] ?? "",
    machine: serverId(first + index),
    score: count - index,
  }));
}

/** Where a recipe's znodes are, and what its leaders write to. */
export const rootOf = ({ name }: Contest): string => `/trial/${name}`;
export const fenceOf = ({ name }: Contest): string => `/fenced/${name}`;
