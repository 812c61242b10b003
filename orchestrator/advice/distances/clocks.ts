/**
 * What programs that keep clocks know of distances: the delay there and back of each of their sources.
 *
 *     Remote address  : 192.0.2.7 (C0000207)       chronyc ntpdata
 *     Peer delay      : 0.091200000 seconds
 *
 *          remote   refid   st t when poll reach   delay   offset  jitter       ntpq -p, in milliseconds
 *     *iad.example  .GPS.    1 u   12   64  377   91.200   -0.010   0.020
 *
 * Where it was measured, the file's name says. A delay of chrony's is that of one exchange.
 */

import type { Problem } from "../../terminal/problem.ts";
import {
  distinct,
  type DistanceFormat,
  type Distances,
  linesOf,
  type MeasuredTrip,
  type Told,
} from "./measured.ts";
import { placeOf } from "./ping.ts";

const REMOTE = /^Remote address\s*:\s*(\S+)/;
const DELAY = /^Peer delay\s*:\s*([\d.e+-]+)\s*seconds/;
const NTPQ_HEAD = /^\s*remote\s+refid\s+.*\bdelay\b/;
const NTPQ = /^[ *#o+x.\-~]?(\S+)\s+\S+\s+\d+\s+\S+\s+\S+\s+\S+\s+\d+\s+([\d.]+)\s+\S+\s+\S+\s*$/;

export const clocks: DistanceFormat = {
  name: "clocks",
  summary: "chronyc ntpdata or ntpq -p, a file a place",
  recognises: (text) => linesOf(text).some((line) => DELAY.test(line) || NTPQ_HEAD.test(line)),
  read,
};

function read(text: string, { from }: Told): Distances {
  const problems: Problem[] = [];
  const measured: MeasuredTrip[] = [];
  let remote: string | null = null;
  let isNtpq = false;
  const note = (to: string, rttMs: number, line: number): void => {
    if (from === null)
      problems.push({
        line,
        column: 1,
        message: `nothing says whose clock it is: name the file after the place`,
      });
    else measured.push({ from: placeOf(from), to: placeOf(to), rttMs, line });
  };
  for (const [index, line] of linesOf(text).entries()) {
    remote = REMOTE.exec(line)?.[1] ?? remote;
    isNtpq ||= NTPQ_HEAD.test(line);
    const [, delay] = DELAY.exec(line) ?? [];
    if (delay !== undefined && remote !== null) note(remote, Number(delay) * 1e3, index + 1);
    const [, to, ms] = (isNtpq ? NTPQ.exec(line) : null) ?? [];
    if (to !== undefined && Number(ms) > 0) note(to, Number(ms), index + 1);
  }
  return { measured, names: distinct(measured.flatMap(({ from: a, to }) => [a, to])), problems };
}
