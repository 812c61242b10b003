/**
 * A strategy as people name it: one of those that are there, `site-order:fnal,slac`, `best-score:2`, or the
 * path of a module of one's own that exports `strategy`. All members of an election should be told the same.
 *
 * One's own decides who leads, so its shape is tried before anything begins.
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { EXIT } from "../core/exit-code.ts";
import {
  bestScore,
  type Candidate,
  type Choice,
  firstId,
  otherSite,
  roundRobin,
  siteOrder,
  type Strategy,
} from "../election/priority/strategy.ts";

/** For people, one line: what is wrong, and what would be right. */
export class StrategyRefused extends Error {
  override readonly name = "StrategyRefused";
  readonly exitCode = EXIT.usage;
}

const NAMED: Readonly<Record<string, (words: string) => Strategy>> = {
  "first-id": () => firstId,
  "round-robin": () => roundRobin,
  "other-site": () => otherSite,
  "site-order": (words) => {
    const sites = words.split(",").filter((site) => site !== "");
    if (sites.length === 0) throw new StrategyRefused("site-order names no site: site-order:fnal,slac");
    return siteOrder(sites);
  },
  "best-score": (words) => {
    const hysteresis = Number(words);
    if (hysteresis >= 0) return bestScore(hysteresis);
    throw new StrategyRefused(`best-score: "${words}" is no number, such as best-score:2`);
  },
};

export const STRATEGY_NAMES: readonly string[] = Object.keys(NAMED);

/** A module's path is relative to `folder`. */
export async function strategyOf(text: string, folder: string): Promise<Strategy> {
  const [, name = "", words = ""] = /^([\w-]+)(?::(.*))?$/.exec(text) ?? [];
  const named = NAMED[name];
  if (named !== undefined) return named(words);
  if (/[./\\]/.test(text)) return loaded(text, folder);
  throw new StrategyRefused(
    `there is no strategy "${text}": ${STRATEGY_NAMES.join(", ")}, or the path of one's own`,
  );
}

async function loaded(path: string, folder: string): Promise<Strategy> {
  let module: { readonly strategy?: unknown };
  try {
    module = await import(pathToFileURL(resolve(folder, path)).href);
  } catch (error) {
    throw new StrategyRefused(`${path} cannot be loaded: ${lineOf(error)}`);
  }
  const strategy = shaped(path, module.strategy);
  for (const choice of TRIED) tried(path, strategy, choice);
  return strategy;
}

function shaped(path: string, strategy: unknown): Strategy {
  const { preempts, choose } = (strategy ?? {}) as Partial<Strategy>;
  if (typeof preempts === "boolean" && typeof choose === "function") return strategy as Strategy;
  throw new StrategyRefused(
    `${path} exports no strategy; right would be: ` +
      "export const strategy: Strategy = { preempts: false, choose }",
  );
}

function tried(path: string, strategy: Strategy, choice: Choice): void {
  let member: unknown;
  try {
    member = strategy.choose(choice);
  } catch (error) {
    throw new StrategyRefused(`${path}: its choose() fails: ${lineOf(error)}`);
  }
  if (choice.candidates.some((each) => each.member === member)) return;
  const those = choice.candidates.map((each) => each.member).join(" or ");
  throw new StrategyRefused(
    `${path}: its choose() gives ${JSON.stringify(member)}; right would be a candidate's member, ${those}`,
  );
}

const lineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";

const candidate = (id: string, site: string): Candidate => ({ member: `m-${id}`, id, site, score: 0 });

const [A, B] = [candidate("a", "one"), candidate("b", "other")];

const TRIED: readonly Choice[] = [
  { candidates: [A, B], previous: null, leader: null },
  { candidates: [B], previous: A, leader: null },
  { candidates: [A, B], previous: B, leader: B },
];
