/**
 * Comparisons of an arm with itself, many of them: how often does the test see a difference where there is
 * none? Each is what `polebench compare` does with the arm that it runs again: the same plan with other
 * seeds, in pairs, through the same test, corrected as in the smallest comparison. Five of a hundred may
 * differ at most.
 */

import { Random } from "#node/core/random.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { AGAIN } from "../plan/matrix.ts";
import { armOf, type ServicePlan } from "../plan/plan.ts";
import type { ComparedRun } from "../report/compared-run.ts";
import { differencesOf } from "../report/comparison-differences.ts";
import { type Difference, differs } from "../statistics/comparison.ts";

export interface NoiseCell {
  readonly id: string;
  readonly comparison: number;
  readonly arm: string;
  readonly repetition: number;
  readonly plan: ServicePlan;
}

/** In the order in which they are run: pair after pair, each in a drawn order. No seed is there twice. */
export function noiseCells(plan: ServicePlan, comparisons: number, pairs: number): readonly NoiseCell[] {
  const random = new Random(plan.seed, ORDER_STREAM);
  const name = armOf(plan);
  return Array.from({ length: comparisons }, (_, comparison) =>
    Array.from({ length: pairs }, (__, repetition) => {
      const seed = plan.seed + 2 * (comparison * pairs + repetition);
      const pair = [name, `${name} ${AGAIN}`].map((arm, index) => ({
        id: `${comparison + 1}-${index === 0 ? "a" : "again"}-${repetition + 1}`,
        comparison,
        arm,
        repetition,
        plan: { ...plan, seed: seed + index },
      }));
      return random.shuffle(pair);
    }).flat(),
  ).flat();
}

export interface NoiseRun extends Omit<NoiseCell, "plan"> {
  readonly summary: ServiceSummary;
}

export interface Noise {
  readonly comparisons: number;
  readonly differ: number;
  /** That may, if the test is what it says. */
  readonly allowed: number;
  /** Of each comparison its quantities, corrected for each other. */
  readonly found: readonly (readonly Difference[])[];
}

/** Only valid runs count. */
export function noiseOf(runs: readonly NoiseRun[]): Noise {
  const counted = runs.filter(({ summary }) => summary.verdict.judgement === "valid");
  const found = [...Map.groupBy(counted, ({ comparison }) => comparison).values()].map((own) => {
    const groups = [...Map.groupBy(own.map(compared), ({ arm }) => arm)].map(([arm, of]) => ({
      arm,
      runs: of,
    }));
    return differencesOf(groups, ARMS).again;
  });
  const whole = found.filter((differences) => differences.length > 0);
  return {
    comparisons: whole.length,
    differ: whole.filter((differences) => differences.some(differs)).length,
    allowed: Math.max(1, Math.floor(whole.length / 20)),
    found: whole,
  };
}

const compared = ({ id, arm, repetition, summary }: NoiseRun): ComparedRun => ({
  id,
  folder: "",
  arm,
  repetition,
  summary,
});

/** Of the smallest comparison that there is: its p-values are corrected for so many. */
export const ARMS = 2;
const ORDER_STREAM = 301;
