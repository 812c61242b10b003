/** One number of the bench: what was promised beside what is measured, again and again. */

import { type Spread, spread } from "../comparison.ts";

export type Bound = { readonly most: number } | { readonly least: number } | null;

/** Told once by each repetition. */
export type Note = (what: string, unit: string, asked: Bound, measured: number) => void;

export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly asked: Bound;
  /** Of errors to either side, the median is of how large they are. */
  readonly measured: Spread;
  /** Of each repetition. */
  readonly values: readonly number[];
}

/** The lines in the order in which they were first told. */
export class Lines {
  readonly #told = new Map<string, { unit: string; asked: Bound; values: number[] }>();

  readonly note: Note = (what, unit, asked, measured) => {
    const told = this.#told.get(what) ?? { unit, asked, values: [] };
    told.values.push(asked !== null && "most" in asked ? Math.abs(measured) : measured);
    this.#told.set(what, told);
  };

  all(): readonly Line[] {
    return [...this.#told].map(([what, { unit, asked, values }]) => ({
      what,
      unit,
      asked,
      measured: spread(values),
      values,
    }));
  }
}

/** The median counts: one repetition in an evil minute of the host says little of the plane. */
export function isMet({ asked, measured: { median } }: Line): boolean {
  if (asked === null) return true;
  return "most" in asked ? median <= asked.most : median >= asked.least;
}

export function printLine(line: Line): string {
  const { what, unit, asked, measured } = line;
  const bound = asked === null ? "" : "most" in asked ? `<= ${asked.most}` : `>= ${asked.least}`;
  const mark = isMet(line) ? " " : "!";
  const { median, least, most } = measured;
  const seen = least === most ? unit : `${unit} (${shown(least)} to ${shown(most)})`;
  return `${mark} ${what.padEnd(52)} ${bound.padStart(9)} ${shown(median).padStart(9)} ${seen}`;
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));
