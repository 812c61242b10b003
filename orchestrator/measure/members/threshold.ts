/** What must hold for an election by itself to pass: `latched<2s`, `agreed<2s`, `disagreement<500ms`. */

import { suggestion } from "../../terminal/problem.ts";
import { DURATION, duration } from "../../topology/quantity.ts";
import { outcomeOf, type ThresholdOutcome, wordsOf, type Sign } from "../threshold.ts";
import type { ElectionMeasures } from "./measures.ts";

const QUANTITIES = {
  /** From the beginning. */
  latched: ({ disturbances: [first] }) => first?.latchedMs ?? null,
  agreed: ({ disturbances: [first] }) => first?.agreedMs ?? null,
  /** After the fault that took longest; null when there was none, or one was never settled. */
  reagreed: ({ disturbances: [, ...faults] }) =>
    faults.length === 0 || faults.some(({ agreedMs }) => agreedMs === null)
      ? null
      : Math.max(...faults.map(({ agreedMs }) => agreedMs ?? 0)),
  disagreement: ({ disagreement }) => disagreement.ms,
} satisfies Record<string, (measures: ElectionMeasures) => number | null>;

export interface ElectionThreshold {
  readonly text: string;
  readonly quantity: keyof typeof QUANTITIES;
  readonly sign: Sign;
  readonly limitMs: number;
}

const NAMES = Object.keys(QUANTITIES) as (keyof typeof QUANTITIES)[];

/** The threshold, or what is wrong with the words. */
export function parseElectionThreshold(text: string): ElectionThreshold | string {
  const words = wordsOf(text);
  if (words === null) return `"${text}" is no threshold such as latched<2s or disagreement<500ms`;
  const quantity = NAMES.find((name) => name === words.name);
  if (quantity === undefined) return `"${words.name}" is not measured${suggestion(words.name, NAMES)}`;
  if (!DURATION.test(words.limit)) return `"${words.limit}" in "${text}" is no duration such as 2s`;
  return { text, quantity, sign: words.sign, limitMs: duration(words.limit) / 1e3 };
}

export const electionMeets = (
  { quantity, ...threshold }: ElectionThreshold,
  measures: ElectionMeasures,
): ThresholdOutcome => outcomeOf(threshold, QUANTITIES[quantity](measures), threshold.limitMs);
