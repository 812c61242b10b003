/** What the load showed, as Markdown for people. */

import type { Answered, Answering } from "./answers.ts";
import type { Crowded, Crowding } from "./crowded.ts";
import type { Overloaded, Overloading } from "./overload.ts";
import { markdown } from "../terminal/table.ts";

/** What was measured of one system; what was not asked for is missing. */
export interface Seen {
  readonly crowded?: Crowded;
  readonly overloaded?: Overloaded;
  readonly answered?: Answered;
}

/** What was asked for. */
export interface LoadTerms {
  readonly crowding: Crowding;
  readonly overloading: Overloading;
  readonly answering: Answering;
}

export type SeenOf = Readonly<Record<string, Seen>>;

type Row = readonly [what: string, of: (seen: Seen) => string | undefined];

export function printLoad(seen: SeenOf, { crowding, overloading, answering }: LoadTerms): string {
  const crowd = `${count(crowding.sessions)} sessions, ${count(crowding.watches)} watches, \
${count(crowding.znodes)} znodes of ${crowding.payloadBytes} B, on 3 servers`;
  const over = `${overloading.times} times its capacity for ${overloading.seconds} s, \
writes of ${overloading.payloadBytes} B, open loop of 6 clients`;
  const answers = `${count(answering.pipelined)} reads of 1 MB at once; ${count(answering.stuck)} clients at \
the leader that read nothing for ${answering.seconds} s, half asking as much, half watching`;
  const parts: string[] = [];
  if (Object.values(seen).some(({ crowded }) => crowded !== undefined)) {
    parts.push(`## ${crowd}\n\n${table(crowdedRows(crowding), seen)}`);
  }
  if (Object.values(seen).some(({ overloaded }) => overloaded !== undefined)) {
    parts.push(`## Overload: ${over}\n\n${table(OVERLOADED, seen)}`);
  }
  if (Object.values(seen).some(({ answered }) => answered !== undefined)) {
    parts.push(`## Answers: ${answers}\n\n${table(ANSWERED, seen)}`);
  }
  return parts.join("\n");
}

const crowdedRows = ({ sessions, watches, znodes }: Crowding): readonly Row[] => {
  const of = (print: (crowded: Crowded) => string) => (seen: Seen) => seen.crowded && print(seen.crowded);
  /** Of one, over all servers or on each of them. */
  const bytes = (megabytes: number, among: number): string => `${Math.round((megabytes * 1e6) / among)} B`;
  return [
    ["memory of a server: hardly anything", of(({ residentMb }) => mb(residentMb.empty))],
    ["with the sessions", of(({ residentMb }) => mb(residentMb.sessions))],
    ["and the watches", of(({ residentMb }) => mb(residentMb.watches))],
    ["and the znodes", of(({ residentMb }) => mb(residentMb.znodes))],
    ["for a znode, on each server", of(({ residentMb: r }) => bytes(r.znodes - r.watches, znodes))],
    [
      "for a session, on all three together",
      of(({ residentMb: r }) => bytes(3 * (r.sessions - r.empty), sessions)),
    ],
    ["for a watch, on its server", of(({ residentMb: r }) => bytes(3 * (r.watches - r.sessions), watches))],
    ["time to make the znodes", of(({ plantedSeconds }) => `${plantedSeconds.toFixed(1)} s`)],
    ["time to begin the sessions", of(({ gatheredSeconds }) => `${gatheredSeconds.toFixed(1)} s`)],
    ["connections lost until then", of(({ lost }) => count(lost))],
    ["ping, p50 / p99 / max", of(({ pings }) => waits(pings))],
    ["ping, beside 1,000 writes/s", of(({ busyPings }) => waits(busyPings))],
    ["kill -9 of the leader: nobody served", of(({ outage }) => ms(outage.gapMs))],
    ["longest wait of a write due after that", of(({ outage }) => ms(outage.stallMs))],
    [
      "its sessions all at other servers after",
      of(({ outage: o }) => `${ms(o.movedMs)} (${count(o.moved)})`),
    ],
    ["sessions that ended", of(({ outage }) => count(outage.expired))],
    ["watches that fired afterwards", of(({ outage: o }) => `${count(o.told)} of ${count(o.created)}`)],
  ];
};

const overloadedRow = (print: (overloaded: Overloaded) => string) => (seen: Seen) =>
  seen.overloaded && print(seen.overloaded);

const OVERLOADED: readonly Row[] = [
  ["capacity, closed loop", overloadedRow(({ capacity }) => `${count(capacity)} /s`)],
  ["offered", overloadedRow(({ offered }) => `${count(offered)} /s`)],
  ["acknowledged meanwhile", overloadedRow(({ acknowledged }) => `${count(acknowledged)} /s`)],
  ["refused, unknown", overloadedRow(({ refused, unknown }) => `${count(refused)}, ${count(unknown)}`)],
  ["held back at the clients by TCP", overloadedRow(({ heldBack }) => count(heldBack))],
  [
    "from a client's socket to its answer, p50 / p99",
    overloadedRow(({ admittedMs: a }) => `${ms(a.p50)} / ${ms(a.p99)}`),
  ],
  ["one at a time, before: p50 / p99 / max", overloadedRow(({ modest }) => waits(modest.before))],
  ["one at a time, meanwhile", overloadedRow(({ modest }) => waits(modest.during))],
  ["as before again after its end", overloadedRow(({ modest }) => ms(modest.recoveryMs))],
  ["server CPU for 1,000 writes: at capacity", overloadedRow(({ cpuMs }) => ms(cpuMs.capacity))],
  ["overloaded", overloadedRow(({ cpuMs }) => ms(cpuMs.overloaded))],
  ["most memory of a server: at capacity", overloadedRow(({ residentMb }) => mb(residentMb.capacity))],
  ["overloaded", overloadedRow(({ residentMb }) => mb(residentMb.overloaded))],
];

const answeredRow = (print: (answered: Answered) => string) => (seen: Seen) =>
  seen.answered && print(seen.answered);

const ANSWERED: readonly Row[] = [
  [
    "reads at once that were served, in order",
    answeredRow(({ served, servedSeconds }) => `${count(served)} in ${servedSeconds.toFixed(1)} s`),
  ],
  ["memory of the leader: before", answeredRow(({ residentMb }) => mb(residentMb.before))],
  ["at most, while they are stuck", answeredRow(({ residentMb }) => mb(residentMb.stuck))],
  ["5 s after they have gone", answeredRow(({ residentMb }) => mb(residentMb.after))],
  ["one at a time, before: p50 / p99 / max", answeredRow(({ modest }) => waits(modest.before))],
  ["one at a time, meanwhile", answeredRow(({ modest }) => waits(modest.stuck))],
  ["their connections that ended", answeredRow(({ lost }) => count(lost))],
  ["changes that were watched", answeredRow(({ changes }) => count(changes))],
  ["stuck clients that were cut off", answeredRow(({ cutOff }) => count(cutOff))],
  ["elections", answeredRow(({ elections }) => count(elections))],
];

function table(rows: readonly Row[], seen: SeenOf): string {
  const systems = Object.entries(seen);
  const lines = rows.map(([what, of]) => [what, ...systems.map(([, one]) => of(one) ?? "")]);
  return `${markdown(["", ...systems.map(([name]) => name)], lines, 1)}\n`;
}

const count = (value: number): string => Math.round(value).toLocaleString("en");
const mb = (value: number): string => `${Math.round(value)} MB`;
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

const waits = (of: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }): string =>
  [of.p50Ms, of.p99Ms, of.maxMs].map(ms).join(" / ");
