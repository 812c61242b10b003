/**
 * Imports a matrix of round-trip times in milliseconds, as monitoring systems export them:
 *
 *     ,fra,iad,nrt
 *     fra,,91,233
 *     iad,91,,165
 *     nrt,233,165,
 *
 * An empty cell is filled by the opposite direction; where both are given and differ, each direction gets
 * half of its own.
 */

import { parse } from "csv-parse/sync";
import { type Problem, refuse } from "../terminal/problem.ts";

/** The text of a topology file; throws a RefusedInput that names each problem as `file:line:column: what`. */
export function topologyFromCsv(csv: string, file: string): string {
  const read = parse(csv, { ...AS_EXPORTED, info: true }) as unknown as readonly CsvRow[];
  const rows = read
    .map(({ record, info }) => ({ line: info.lines, cells: record }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const [header, ...body] = rows;
  const names = (header?.cells.slice(1) ?? []).map(siteName);
  const problems: Problem[] = [];
  const roundTrips = new Map<string, number>();
  for (const { line, cells } of body) {
    const from = siteName(cells[0] ?? "");
    if (!names.includes(from)) {
      problems.push({
        line,
        column: 1,
        message: `"${cells[0]}" is not one of the columns: ${names.join(", ")}`,
      });
    }
    for (const [index, cell] of cells.slice(1).entries()) {
      const to = names[index];
      if (cell === "" || to === undefined || to === from) continue;
      const milliseconds = Number(cell.replace(/\s*ms$/, ""));
      const column = cells.slice(0, index + 1).join(",").length + 2;
      if (!Number.isFinite(milliseconds) || milliseconds < 0) {
        problems.push({ line, column, message: `"${cell}" is no round-trip time in milliseconds` });
      } else roundTrips.set(`${from} ${to}`, milliseconds);
    }
  }
  const links: string[] = [];
  for (const [index, a] of names.entries()) {
    for (const b of names.slice(index + 1)) {
      const there = roundTrips.get(`${a} ${b}`) ?? roundTrips.get(`${b} ${a}`);
      const back = roundTrips.get(`${b} ${a}`) ?? there;
      if (there === undefined || back === undefined) {
        problems.push({ line: 1, column: 1, message: `no round-trip time between ${a} and ${b}` });
      } else links.push(...linkLines(a, b, there, back));
    }
  }
  if (names.length === 0) problems.push({ line: 1, column: 1, message: "the first line names no sites" });
  if (problems.length > 0) refuse(file, problems);
  const sites = names.map((name, index) => `  ${name}: { servers: [p${index + 1}] }`);
  return [`source: ${JSON.stringify(file)}`, "sites:", ...sites, "links:", ...links, ""].join("\n");
}

const AS_EXPORTED = {
  bom: true,
  delimiter: [",", ";", "\t"],
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
};

interface CsvRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const linkLines = (a: string, b: string, there: number, back: number): string[] =>
  there === back
    ? [`  - { between: [${a}, ${b}], rtt: ${there}ms }`]
    : [
        `  - { from: ${a}, to: ${b}, delay: ${there / 2}ms }`,
        `  - { from: ${b}, to: ${a}, delay: ${back / 2}ms }`,
      ];

/** As topologies want it. */
export const siteName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^[^a-z]+/, (start) => (start === "" ? "" : `s${start}`));
