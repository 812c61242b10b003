/**
 * Two records beside each other: every number that both have, paired by the seeds or repetitions that both
 * have, through the same exact test as a comparison's. Without pairs there are only two values to look at.
 */

import { holm } from "../statistics/comparison.ts";
import { LEVEL, middleOf, NOT_ENOUGH_RUNS } from "../statistics/middle.ts";
import { leastP, type Shift, shiftOf, signFlip } from "../statistics/sign-flip.ts";
import type { BookNumber, BookRecord } from "./record.ts";

export interface NumberDiff {
  readonly name: string;
  readonly unit: string;
  readonly better: BookNumber["better"];
  /** Medians. */
  readonly a: number;
  readonly b: number;
  readonly pairs: number;
  /** Of b minus a; null without pairs. */
  readonly shift: Shift | null;
  /** Corrected for all numbers that were looked at; null without pairs. */
  readonly p: number | null;
  readonly verdict: "differs" | "could be chance" | "equal" | typeof NOT_ENOUGH_RUNS;
}

export function diffOf(
  a: Pick<BookRecord, "numbers">,
  b: Pick<BookRecord, "numbers">,
  names: readonly string[] | null = null,
): readonly NumberDiff[] {
  const shared = Object.keys(a.numbers).filter((name) => names === null || names.includes(name));
  const rows = shared.flatMap((name) => {
    const [of, other] = [a.numbers[name], b.numbers[name]];
    if (of === undefined || other === undefined) return [];
    const values = new Map(other.values.map((one) => [one.of, one.value]));
    const pairs = of.values.flatMap((one) => {
      const there = values.get(one.of);
      return there === undefined ? [] : [there - one.value];
    });
    const middles = [of, other].map((one) => middleOf(one.values.map(({ value }) => value))?.middle);
    const [inA, inB] = middles;
    if (inA === undefined || inB === undefined) return [];
    return [{ name, unit: of.unit, better: of.better, a: inA, b: inB, pairs }];
  });
  // What is equal in every pair is no question of chance, and makes nobody less sure of the rest.
  const asked = rows.filter(({ pairs }) => pairs.some((pair) => pair !== 0));
  const corrected = holm(asked.map(({ pairs }) => signFlip(pairs)));
  return rows.map((row) => {
    const at = asked.indexOf(row);
    const p = at === -1 ? null : (corrected[at] ?? 1);
    const least = leastP(row.pairs.length) * asked.length;
    const isEqual = row.pairs.length > 0 && at === -1;
    return {
      ...row,
      pairs: row.pairs.length,
      shift: row.pairs.length === 0 ? null : shiftOf(row.pairs),
      p,
      verdict: isEqual
        ? "equal"
        : p === null || least > LEVEL
          ? NOT_ENOUGH_RUNS
          : p <= LEVEL
            ? "differs"
            : "could be chance",
    };
  });
}
