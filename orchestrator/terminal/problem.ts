/** What is wrong with a file that a person wrote: where, what, and the name that was probably meant. */

import { EXIT } from "#node/core/exit-code.ts";

/** Bad input of a person; the command ends with its exit code, 64 as in sysexits.h. */
export class RefusedInput extends Error {
  override readonly name = "RefusedInput";
  readonly exitCode = EXIT.usage;
}

export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export function refuse(file: string, problems: readonly Problem[]): never {
  const inOrder = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const lines = inOrder.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  throw new RefusedInput(lines.join("\n"));
}

/** The valid names, after the one that was probably meant where one is near. */
export function suggestion(given: string, valid: readonly string[]): string {
  const ranked = valid
    .map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [nearest] = ranked;
  if (nearest === undefined) return "";
  const isNear = nearest.far <= Math.max(1, Math.floor(given.length / 3));
  return `${isNear ? `, did you mean "${nearest.name}"? Valid` : "; valid"} are ${valid.join(", ")}`;
}

/** How many letters to insert, delete, replace, or swap with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const replace = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? at(i - 2, j - 2) + 1 : replace;
      rows[i]?.push(Math.min(replace, swap, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
