/**
 * How the answer changes with the distances: when one link or all of one site's are half as long again, and
 * when every distance is drawn anew from around what was measured, as wide-area networks differ from day to
 * day. Held against the placements that came next, not against all.
 */

import { Random } from "#node/core/random.ts";
import { stretched, type Topology } from "../topology/topology.ts";
import { attainable, type Outlook, unchanged, valueOf } from "./evaluate.ts";
import { type Placement, placed } from "./placements.ts";
import type { AdviceQuestion } from "./question.ts";

export interface Strain {
  /** `fra-iad`, or `fra` for all of its links. */
  readonly what: string;
  /** Of the placement that is advised, under the leader that is advised. */
  readonly valueMs: number;
  /** The same under whoever would be best then. */
  readonly adaptedMs: number;
  /** The best of all that were looked at. */
  readonly bestMs: number;
  readonly best: Placement;
}

export interface Sureness {
  readonly draws: number;
  /** In so many of them nothing else was better by more than a fiftieth. */
  readonly kept: number;
  /** By how much another was better at worst, in milliseconds. */
  readonly worstMs: number;
}

/** So many times as long. */
export const STRAINED = 1.5;
/** To either side. */
export const UNSURE = 0.2;
const DRAWS = 100;
const NOTEWORTHY = 1.02;

/** The advised placement first among the rivals. */
export interface Contest {
  readonly topology: Topology;
  readonly question: AdviceQuestion;
  readonly advised: Outlook;
  readonly rivals: readonly Placement[];
}

export function strains({ topology, question, advised, rivals }: Contest): readonly Strain[] {
  const [own = []] = rivals;
  const names = [...topology.sites.values()]
    .filter(({ name, load }) => load > 0 || own.includes(name))
    .map(({ name }) => name);
  const held = [...new Set(own)];
  const links = names.flatMap((a, index) =>
    names.slice(index + 1).flatMap((b) => (held.includes(a) || held.includes(b) ? [[a, b] as const] : [])),
  );
  const under = (what: string, isStrained: (from: string, to: string) => boolean): Strain => {
    const strained = stretched(topology, (from, to) => (isStrained(from, to) ? STRAINED : 1));
    const found = rivals.map((rival) =>
      valueOf(question.goal, attainable(placed(strained, rival), question)),
    );
    const bestMs = Math.min(...found);
    const fixed = unchanged(placed(strained, own), advised, question);
    return {
      what,
      valueMs: valueOf(question.goal, fixed),
      adaptedMs: found[0] ?? Number.NaN,
      bestMs,
      best: rivals[found.indexOf(bestMs)] ?? own,
    };
  };
  return [
    ...links.map(([a, b]) =>
      under(`${a}-${b}`, (from, to) => (from === a && to === b) || (from === b && to === a)),
    ),
    ...names.map((name) => under(name, (from, to) => from === name || to === name)),
  ].sort((a, b) => b.valueMs - b.bestMs - (a.valueMs - a.bestMs));
}

export function sureness({ topology, question, rivals }: Contest): Sureness {
  const random = new Random(DRAWS);
  let [kept, worstMs] = [0, 0];
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = new Map<string, number>();
    const factor = (from: string, to: string): number => {
      const pair = from < to ? `${from} ${to}` : `${to} ${from}`;
      const known = drawn.get(pair) ?? 1 + UNSURE * (2 * random.unit() - 1);
      drawn.set(pair, known);
      return known;
    };
    const other = stretched(topology, factor);
    const found = rivals.map((rival) => valueOf(question.goal, attainable(placed(other, rival), question)));
    const [own = Number.NaN, best] = [found[0], Math.min(...found)];
    if (own <= NOTEWORTHY * best) kept += 1;
    worstMs = Math.max(worstMs, own - best);
  }
  return { draws: DRAWS, kept, worstMs };
}
