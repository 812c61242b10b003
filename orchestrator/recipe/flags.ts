/**
 * From what a person asks for to a plan of a trial of recipes, or to a sentence for each thing that cannot
 * be.
 */

import { StrategyRefused, strategyOf } from "#node/recipe/recipe.ts";
import { SPEAKING_ZOOKEEPER } from "../system/catalog.ts";
import { planTrial } from "../plan/flags.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import {
  applies,
  type Contest,
  contestOf,
  placed,
  type Recipe,
  RECIPES,
  type RecipePlan,
  TROUBLE_NAMES,
  WATCHING,
} from "./plan.ts";

export interface RecipeFlags {
  readonly topology: string;
  readonly system?: string;
  readonly recipe: string;
  readonly members: string;
  readonly strategy: string;
  readonly watching?: string;
  readonly fault: string;
  readonly repeat: string;
  readonly minutes?: string;
  readonly timeout: string;
  readonly takeover: string;
  readonly within: string;
  readonly firstLeader?: string;
  readonly seed?: string;
}

/** A machine each: the plane carries so many with ease. */
const MOST_MEMBERS = 100;

export async function planRecipes(flags: RecipeFlags): Promise<RecipePlan> {
  const { topology, system, firstLeader, seed } = flags;
  if (system !== undefined) listed("system", system, SPEAKING_ZOOKEEPER);
  const service = planTrial({ topology, system, firstLeader, seed, killAt: "never" }, "netns");
  const contests = contestsOf(flags.recipe);
  const troubles = listed("fault", flags.fault, TROUBLE_NAMES);
  for (const contest of contests)
    if (!troubles.some((trouble) => applies(trouble, contest)))
      throw new RefusedInput(
        `--fault: ${contest.name} has neither elector nor candidate: take ${EVERYBODYS}`,
      );
  const most = Math.max(...contests.map(({ recipes }) => recipes.length));
  const members = whole("members", flags.members, Math.max(2, most), MOST_MEMBERS);
  await strategyOf(flags.strategy, process.cwd()).catch((error: unknown) => {
    throw error instanceof StrategyRefused ? new RefusedInput(`--strategy: ${error.message}`) : error;
  });
  const [watching = "lean"] = listed("watching", flags.watching ?? "lean", WATCHING);
  checkSites(flags.strategy, [...service.topology.sites.keys()]);
  if (troubles.includes("cut-site") && service.topology.sites.size < 2)
    throw new RefusedInput(`--fault: ${topology} has one site, of which nothing is left when it is cut off`);
  return {
    topology,
    service,
    contests,
    troubles,
    times: whole("repeat", flags.repeat, 1, 9999),
    tortured: flags.minutes === undefined ? null : 60_000 * whole("minutes", flags.minutes, 1, 600),
    members: placed(members, service),
    strategy: flags.strategy,
    watching,
    timeout: whole("timeout", flags.timeout, 1000, 60_000),
    takeover: whole("takeover", flags.takeover, 0, 60_000),
    within: whole("within", flags.within, 100, 60_000),
  };
}

const EVERYBODYS = TROUBLE_NAMES.filter((trouble) =>
  applies(trouble, { name: "chain", recipes: ["chain"], word: null }),
).join(", ");

/** `chain,kazoo`: two elections, one after the other; `chain+kazoo`: one in which both stand. */
function contestsOf(given: string): readonly Contest[] {
  const texts = given === "all" ? RECIPES : given.split(",");
  return texts.map((text) => {
    const recipes = text.split("+").flatMap((each) => listed("recipe", each, RECIPES));
    const contest = contestOf(recipes as [Recipe, ...Recipe[]]);
    if (typeof contest === "string") throw new RefusedInput(`--recipe: ${contest}`);
    return contest;
  });
}

function listed<Name extends string>(flag: string, given: string, names: readonly Name[]): readonly Name[] {
  if (given === "all") return names;
  return given.split(",").map((one) => {
    const name = names.find((each) => each === one.trim());
    if (name !== undefined) return name;
    throw new RefusedInput(`--${flag}: there is no "${one.trim()}"${suggestion(one.trim(), names)}`);
  });
}

/** A site that nobody is at would never be chosen. */
function checkSites(strategy: string, sites: readonly string[]): void {
  const [name, words = ""] = strategy.split(":");
  if (name !== "site-order") return;
  const strange = words.split(",").find((site) => !sites.includes(site));
  if (strange !== undefined)
    throw new RefusedInput(`--strategy: nobody is at "${strange}"${suggestion(strange, sites)}`);
}

function whole(flag: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= least && value <= most) return value;
  throw new RefusedInput(`--${flag}: "${given}" is no number from ${least} to ${most}`);
}
