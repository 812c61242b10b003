/**
 * One number over the commits that measured it, question by question, with the noise that the A/A arms of
 * the same code showed: who sees less than that between two commits has seen nothing.
 */

import { type Middle, middleOf } from "../statistics/middle.ts";
import { codeOf, merged, type BookRecord } from "./record.ts";

export interface Moment {
  readonly commit: string;
  readonly code: string;
  readonly at: string;
  readonly runs: number;
  readonly value: Middle;
}

export interface History {
  readonly what: string;
  readonly kind: string;
  readonly name: string;
  readonly unit: string;
  readonly moments: readonly Moment[];
  /** Median of how far two runs of the same arm with other seeds were apart; null where none was twice. */
  readonly noise: number | null;
}

/** `metric`: a number's name, or the end of one, as `outage` of `latency: outage`. */
export function historyOf(book: readonly BookRecord[], metric: string): readonly History[] {
  const asked = (name: string): boolean => name === metric || name.endsWith(`: ${metric}`);
  const records = merged(book.toSorted((a, b) => a.at.localeCompare(b.at)));
  return [...Map.groupBy(records, ({ question }) => question).values()].flatMap((group) => {
    const names = new Set(group.flatMap(({ numbers }) => Object.keys(numbers).filter(asked)));
    return [...names].flatMap((name): History[] => {
      const moments = group.flatMap((record): Moment[] => {
        const value = middleOf(record.numbers[name]?.values.map((one) => one.value) ?? []);
        if (value === null) return [];
        const { at, sources } = record;
        return [{ commit: sources.commit, code: codeOf(record), at, runs: value.count, value }];
      });
      const [first] = group;
      if (first === undefined || moments.length === 0) return [];
      const unit = group.find(({ numbers }) => numbers[name] !== undefined)?.numbers[name]?.unit ?? "";
      return [{ what: first.what, kind: first.kind, name, unit, moments, noise: noiseOf(group, metric) }];
    });
  });
}

/** Between an arm and the same again, pair by pair. */
function noiseOf(records: readonly BookRecord[], metric: string): number | null {
  const apart = records.flatMap(({ numbers }) =>
    Object.entries(numbers).flatMap(([name, again]) => {
      const [, arm] = /^(.*) again: /.exec(name) ?? [];
      const first = arm === undefined ? undefined : numbers[`${arm}: ${metric}`];
      if (first === undefined || !name.endsWith(`: ${metric}`)) return [];
      const values = new Map(again.values.map(({ of, value }) => [of, value]));
      return first.values.flatMap(({ of, value }) => {
        const other = values.get(of);
        return other === undefined ? [] : [Math.abs(other - value)];
      });
    }),
  );
  return middleOf(apart)?.middle ?? null;
}
