/**
 * Several oracles at once: weighed against each other, or one after the other.
 *
 * Weighed, the least sum of weight times time leads. One after the other, whoever comes within a tolerance of
 * the best by the first is judged by the second, and so on; whoever does not comes after all that do. Who is
 * best is what a server knows of the others by their reports, so each can place itself; the order of scores
 * is by number all the same, and so the same for all.
 */

import { microseconds } from "../core/time.ts";
import type { Oracle, View } from "./oracle.ts";
import { lessIsBetter, NONE } from "./order.ts";
import { lessByShare, timed } from "./timed.ts";
import { type TimedName, timedOracles } from "./timed-catalog.ts";
import { allReported, candidates } from "./view-of.ts";

export type Criteria =
  | {
      readonly kind: "weighed";
      readonly weights: readonly { readonly of: TimedName; readonly weight: number }[];
    }
  | {
      readonly kind: "in turn";
      readonly turns: readonly { readonly of: TimedName; readonly tolerance: number }[];
    };

export const USUAL_CRITERIA: Criteria = {
  kind: "in turn",
  turns: [
    { of: "relocated-latency", tolerance: 0.05 },
    { of: "recovery", tolerance: 0 },
  ],
};

export function composite(criteria: Criteria): Oracle {
  const parts = criteria.kind === "weighed" ? criteria.weights : criteria.turns;
  const names = parts.map(({ of }) => of);
  const around: Pick<Oracle, "ready" | "explain"> = {
    ready: (view) => allReported(view) && names.every((name) => timedOracles[name].ready(view)),
    explain: (view, round) =>
      Object.assign({}, ...names.map((name) => timedOracles[name].explain(view, round))) as Record<
        string,
        number
      >,
  };
  if (criteria.kind === "in turn") return { ...inTurn(criteria.turns), ...around };
  return timed({
    cost(view) {
      let sum = 0;
      for (const { of, weight } of criteria.weights) {
        const cost = timedOracles[of].cost(view);
        if (cost === null) return null;
        sum += weight * cost;
      }
      return microseconds(sum);
    },
    ...around,
  });
}

type Turns = Extract<Criteria, { kind: "in turn" }>["turns"];

const inTurn = (turns: Turns): Omit<Oracle, "ready" | "explain"> => ({
  score(view) {
    const score: number[] = [];
    let rivals = [...candidates(view).values()];
    for (const [place, { of, tolerance }] of turns.entries()) {
      const own = timedOracles[of].cost(view);
      if (own === null) return NONE;
      const limit = bestOf(of, rivals) * (1 + tolerance);
      const isLast = place === turns.length - 1;
      score.push(!isLast && own <= limit ? 0 : own);
      rivals = rivals.filter((rival) => (timedOracles[of].cost(rival) ?? Number.POSITIVE_INFINITY) <= limit);
    }
    return score;
  },
  compare: lessIsBetter,
  advantage(score, over) {
    if (score.length === 0 || over.length === 0) return Math.sign(score.length - over.length);
    const place = score.findIndex((part, at) => part !== over[at]);
    const [mine, theirs] = [score[place], over[place]];
    if (mine === undefined || theirs === undefined) return 0;
    return place < turns.length - 1 && mine * theirs === 0
      ? Math.sign(theirs - mine)
      : lessByShare([mine], [theirs]);
  },
});

const bestOf = (of: TimedName, rivals: readonly View[]): number =>
  Math.min(...rivals.map((rival) => timedOracles[of].cost(rival) ?? Number.POSITIVE_INFINITY));
