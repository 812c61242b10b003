/**
 * One distance a line, with a head that says which column is what:
 *
 *     from,to,rtt_ms
 *     fra,iad,91.2
 *
 * The unit is the column's, `rtt_ms`, `latency_seconds`, or the number's own.
 */

import { parse } from "csv-parse/sync";
import type { Problem } from "../../terminal/problem.ts";
import {
  distinct,
  type DistanceFormat,
  type Distances,
  isNothing,
  linesOf,
  type MeasuredTrip,
  millisecondsOf,
  type Told,
  unitNamed,
} from "./measured.ts";

const FROM = /^(?:from|source|src|origin)(?:[_ -]?(?:region|site|dc|zone))?$/i;
const TO = /^(?:to|target|dst|dest|destination|peer)(?:[_ -]?(?:region|site|dc|zone))?$/i;
const WORDS = "rtt|latency|ping|delay|avg|mean|p50|median|round[_ -]?trip(?:[_ -]?time)?";
const UNIT = "us|ms|s|sec|seconds?|milliseconds?|microseconds?";
const RTT = new RegExp(`^(?:${WORDS})(?:[_ ([-]*(${UNIT})[)\\]]?)?$`, "i");

export const list: DistanceFormat = {
  name: "list",
  summary: "a distance a line, under columns such as from,to,rtt_ms",
  recognises: (text) => columnsOf(rowsOf(text)[0] ?? []) !== null,
  read,
};

function read(text: string, { unit }: Told): Distances {
  const [head = [], ...body] = rowsOf(text);
  const columns = columnsOf(head);
  const problems: Problem[] = [];
  const measured: MeasuredTrip[] = [];
  if (columns === null) return { measured, names: [], problems };
  for (const [index, cells] of body.entries()) {
    const line = index + 2;
    const [from = "", to = "", cell = ""] = [cells[columns.from], cells[columns.to], cells[columns.rtt]];
    if (cells.every((one) => one === "") || from === to || isNothing(cell)) continue;
    const rttMs = millisecondsOf(cell, unit ?? columns.unit ?? "ms");
    if (rttMs === null) problems.push({ line, column: 1, message: `"${cell}" is no round-trip time` });
    else if (from === "" || to === "")
      problems.push({ line, column: 1, message: "it does not say between whom" });
    else measured.push({ from, to, rttMs, line });
  }
  return { measured, names: distinct(measured.flatMap(({ from, to }) => [from, to])), problems };
}

function columnsOf(head: readonly string[]) {
  const place = (pattern: RegExp): number => head.findIndex((cell) => pattern.test(cell.trim()));
  const [from, to, rtt] = [place(FROM), place(TO), place(RTT)];
  if (from === -1 || to === -1 || rtt === -1) return null;
  const [, unit] = RTT.exec((head[rtt] ?? "").trim()) ?? [];
  return { from, to, rtt, unit: unit === undefined ? null : unitNamed(unit.toLowerCase()) };
}

/** Empty lines too, so that a row's number is its line's. */
const rowsOf = (text: string): readonly (readonly string[])[] => {
  const lines = linesOf(text);
  const [head = ""] = lines;
  const delimiter = ["\t", ";", ","].find((one) => head.includes(one)) ?? ",";
  return lines.map(
    (line) => parse(line, { delimiter, relax_column_count: true, relax_quotes: true, trim: true })[0] ?? [],
  );
};
