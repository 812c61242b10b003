/** One number of the bench: what was promised beside what is measured. */

export interface Line {
  readonly what: string;
  readonly unit: string;
  readonly asked: { readonly most: number } | { readonly least: number } | null;
  readonly measured: number;
}

export type Note = (what: string, unit: string, asked: Line["asked"], measured: number) => void;

export function isMet({ asked, measured }: Line): boolean {
  if (asked === null) return true;
  return "most" in asked ? Math.abs(measured) <= asked.most : measured >= asked.least;
}

export function printLine(line: Line): string {
  const { what, unit, asked, measured } = line;
  const bound = asked === null ? "" : "most" in asked ? `<= ${asked.most}` : `>= ${asked.least}`;
  const shown = Number(measured.toPrecision(4));
  const mark = isMet(line) ? " " : "!";
  return `${mark} ${what.padEnd(52)} ${bound.padStart(9)} ${String(shown).padStart(9)} ${unit}`;
}
