/**
 * A matrix, as monitoring systems export it and as CockroachDB's console shows it: who measured at the left,
 * to whom in the first line.
 *
 *     ,fra,iad,nrt            |      | fra  | iad    |
 *     fra,,91,233             | ---- | ---- | ------ |
 *     iad,91,,165             | fra  | -    | 91.2ms |
 *
 * Between commas, semicolons, tabs, bars or blanks. A bare number is in milliseconds.
 */

import { parse } from "csv-parse/sync";
import type { Problem } from "../../terminal/problem.ts";
import {
  type DistanceFormat,
  type Distances,
  isNothing,
  linesOf,
  type MeasuredTrip,
  millisecondsOf,
  type Told,
} from "./measured.ts";

export const matrix: DistanceFormat = {
  name: "matrix",
  summary: "a matrix: CSV, a table with bars as of CockroachDB's console, or columns of blanks",
  recognises: (text) => {
    const [head, first] = rowsOf(text);
    if (head === undefined || first === undefined) return false;
    const names = head.cells.slice(1).map((cell) => cell.toLowerCase());
    return (
      names.length > 0 &&
      rowsOf(text)
        .slice(1)
        .some(({ cells }) => names.includes((cells[0] ?? "").toLowerCase()))
    );
  },
  read,
};

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function read(text: string, { unit }: Told): Distances {
  const [head, ...body] = rowsOf(text);
  const columns = head?.cells.slice(1) ?? [];
  const problems: Problem[] = [];
  const measured: MeasuredTrip[] = [];
  const line = head?.line ?? 1;
  for (const name of twice(columns)) problems.push({ line, column: 1, message: `${name} names two columns` });
  for (const name of twice(body.map(({ cells }) => cells[0] ?? "")))
    problems.push({ line, column: 1, message: `${name} names two rows` });
  for (const { line: at, cells } of body) {
    const [from = "", ...values] = cells;
    if (!columns.includes(from))
      problems.push({
        line: at,
        column: 1,
        message: `"${from}" is not one of the columns: ${columns.join(", ")}`,
      });
    if (values.length > columns.length)
      problems.push({
        line: at,
        column: 1,
        message: `${from} has ${values.length} values for ${columns.length} columns`,
      });
    for (const [index, cell] of values.entries()) {
      const to = columns[index];
      if (to === undefined || to === from || isNothing(cell)) continue;
      const rttMs = millisecondsOf(cell, unit ?? "ms");
      const column = cells.slice(0, index + 1).join(",").length + 2;
      if (rttMs === null) problems.push({ line: at, column, message: `"${cell}" is no round-trip time` });
      else measured.push({ from, to, rttMs, line: at });
    }
  }
  return { measured, names: columns, problems };
}

const twice = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => name !== "" && names.indexOf(name) !== index)),
];

/** Of whatever stands between the cells. */
function rowsOf(text: string): readonly Row[] {
  const lines = linesOf(text).map((line, index) => ({ line: index + 1, text: line }));
  const said = lines.filter(
    ({ text: of }) => of.trim() !== "" && !/^\s*#/.test(of) && !/^[\s|:+=-]*$/.test(of),
  );
  const all = said.map(({ text: of }) => of).join("\n");
  if (all.includes("|")) {
    // Boxed: every line begins with a bar. Else what stands before the first bar is a cell, also of blanks.
    const isBoxed = said.every(({ text: of }) => /^\s*\|/.test(of));
    return said.map(({ line, text: of }) => {
      const inner = (isBoxed ? of.replace(/^\s*\|/, "") : of).replace(/\|\s*$/, "");
      return { line, cells: inner.split("|").map((cell) => cell.trim()) };
    });
  }
  const [delimiter] = ["\t", ";", ","].filter((one) => all.includes(one));
  if (delimiter !== undefined)
    return said.map(({ line, text: of }) => ({ line, cells: cellsOf(of, delimiter) }));
  return said.map(({ line, text: of }, index) => {
    const cells = of.trim().split(/\s+/);
    // Nothing stands above the names at the left.
    return { line, cells: index === 0 && /^\s/.test(of) ? ["", ...cells] : cells };
  });
}

function cellsOf(line: string, delimiter: string): readonly string[] {
  const [cells = []] = parse(line, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
  });
  return cells;
}
