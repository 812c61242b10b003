/**
 * What `ping` and `fping` print, one run after the other. Where it was measured stands in the file's name
 * (`fra.log` of a folder), in a line before it (`# fra`, `==> fra.log <==`), or at the prompt (`fra$ ping
 * iad`).
 *
 *     PING iad.example.net (192.0.2.7) 56(84) bytes of data.
 *     rtt min/avg/max/mdev = 90.9/91.2/93.0/0.4 ms
 *     iad : xmt/rcv/%loss = 10/10/0%, min/avg/max = 90.9/91.2/93.0
 *
 * The mean counts. Without a last line that tells it, as when a ping was interrupted, it is that of the
 * replies.
 */

import type { Problem } from "../../terminal/problem.ts";
import {
  distinct,
  type DistanceFormat,
  type Distances,
  linesOf,
  type MeasuredTrip,
  type Told,
  UNITS,
  unitNamed,
} from "./measured.ts";

const HEAD = /^PING\s+(\S+?)(?:\s*\(|\s|:|$)/;
const SUMMARY = /^(?:rtt|round-trip)\s+min\/avg\/max(?:\/\w+)?\s*=\s*[\d.]+\/([\d.]+)\/[\d./]+\s*(\w+)/;
const REPLY = /\btime[=<]([\d.]+)\s*(\w+)/;
const FPING =
  /^(\S+)\s*:\s*xmt\/rcv\/%loss\s*=\s*[^,\s]+(?:,\s*min\/avg\/max\s*=\s*[\d.]+\/([\d.]+)\/[\d.]+)?/;
const SOURCES = [
  /^(?:#+|==>)\s*(?:from\s+)?(\S+?)(?:\.(?:log|txt))?\s*(?:<==)?\s*$/i,
  /^(?:\[?(?:\w+@)?([\w.-]+)[^$#]*\]?[$#>]\s*)f?ping\b/,
];

export const ping: DistanceFormat = {
  name: "ping",
  summary: "logs of ping or fping, several runs in one file or a file a place",
  recognises: (text) =>
    linesOf(text).some((line) => HEAD.test(line) || SUMMARY.test(line) || FPING.test(line)),
  read,
};

interface Run {
  readonly to: string;
  readonly line: number;
  readonly replies: number[];
}

function read(text: string, told: Told): Distances {
  const problems: Problem[] = [];
  const measured: MeasuredTrip[] = [];
  let from = told.from;
  let run: Run | null = null;
  const note = (to: string, rttMs: number, line: number): void => {
    if (from === null)
      problems.push({ line, column: 1, message: `nothing says from where ${to} was asked: ${HOW}` });
    else measured.push({ from: placeOf(from), to: placeOf(to), rttMs, line });
  };
  const interrupted = (): void => {
    if (run === null) return;
    const { replies, to, line } = run;
    if (replies.length === 0) problems.push({ line, column: 1, message: `${to} did not answer` });
    else note(to, replies.reduce((sum, one) => sum + one, 0) / replies.length, line);
    run = null;
  };
  for (const [index, line] of linesOf(text).entries()) {
    const said = SOURCES.map((pattern) => pattern.exec(line)?.[1]).find((name) => name !== undefined);
    const [, to] = HEAD.exec(line) ?? [];
    const [, mean = "", unit = ""] = SUMMARY.exec(line) ?? [];
    const [, reply = "", replyUnit = ""] = REPLY.exec(line) ?? [];
    const [, fpinged, fmean] = FPING.exec(line) ?? [];
    if (said !== undefined || to !== undefined) interrupted();
    if (said !== undefined) from = said;
    if (to !== undefined) run = { to, line: index + 1, replies: [] };
    else if (mean !== "" && run !== null) {
      note(run.to, Number(mean) * UNITS[unitNamed(unit)], run.line);
      run = null;
    } else if (reply !== "" && run !== null) run.replies.push(Number(reply) * UNITS[unitNamed(replyUnit)]);
    else if (fpinged !== undefined && fmean === undefined)
      problems.push({ line: index + 1, column: 1, message: `${fpinged} did not answer` });
    else if (fpinged !== undefined) note(fpinged, Number(fmean), index + 1);
  }
  interrupted();
  return { measured, names: distinct(measured.flatMap(({ from: a, to: b }) => [a, b])), problems };
}

const HOW = 'name the file after the place, or put a line "# PLACE" before';

/** The first word of a host's name, without its port; an address as it is. */
export function placeOf(host: string): string {
  const name = /^[^:]+:\d+$/.test(host) ? host.replace(/:\d+$/, "") : host;
  return /^[\d.]+$|:/.test(name) ? name : (name.split(".")[0] ?? name);
}
