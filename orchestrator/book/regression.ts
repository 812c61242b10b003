/**
 * Is what is measured now worse than what was kept as a baseline? A regression is a number that differs for
 * the worse, beyond chance and by more than people care about. What too few runs cannot tell is said, and
 * is no pass.
 */

import { NOT_ENOUGH_RUNS } from "../statistics/middle.ts";
import { diffOf, type NumberDiff } from "./diff.ts";
import { type BookRecord, merged } from "./record.ts";

export interface Regression {
  readonly what: string;
  readonly question: string;
  /** Null: the book has no run of it. */
  readonly now: BookRecord | null;
  readonly worse: readonly NumberDiff[];
  readonly better: readonly NumberDiff[];
  /** Numbers that too few runs leave open. */
  readonly open: readonly NumberDiff[];
}

/** Relative; what differs by less is nobody's concern. */
export const CONCERN = 0.05;

export function regressions(
  baseline: readonly BookRecord[],
  book: readonly BookRecord[],
  names: readonly string[] | null = null,
): readonly Regression[] {
  const latest = new Map(merged(inTime(book)).map((record) => [record.question, record]));
  return merged(baseline).map((before) => {
    const now = latest.get(before.question) ?? null;
    const rows = now === null ? [] : diffOf(before, now, names).filter(({ better }) => better !== null);
    const matters = rows.filter(
      ({ verdict, a, b }) => verdict === "differs" && Math.abs(b - a) > CONCERN * Math.abs(a),
    );
    const isWorse = ({ better, a, b }: NumberDiff): boolean => (better === "less" ? b > a : b < a);
    return {
      what: before.what,
      question: before.question,
      now,
      worse: matters.filter(isWorse),
      better: matters.filter((row) => !isWorse(row)),
      open: rows.filter(({ verdict }) => verdict === NOT_ENOUGH_RUNS),
    };
  });
}

/** So that of one question the code that ran last is the last. */
const inTime = (records: readonly BookRecord[]): readonly BookRecord[] =>
  records.toSorted((a, b) => a.at.localeCompare(b.at));
