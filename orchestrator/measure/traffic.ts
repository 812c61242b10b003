/**
 * What the servers said to each other: each second of the steady states, and for each stage of the recovery.
 *
 * Servers tell from time to time how much they have sent since they started, by what it was for. The
 * difference of two tellings is a rate. Elections and recoveries stand out by themselves, for nothing is sent
 * for them at any other time; what clients write and heartbeats are counted from where a server noticed that
 * nobody leads until the first write was acknowledged, as near as its tellings are to that (10 ms).
 */

import type { Purpose, Volume } from "#node/telemetry/traffic.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { Outage } from "./outage.ts";
import type { ByPhase, Span } from "./latency.ts";
import type { Stage } from "./recovery.ts";

export interface TrafficRow {
  /** A stage of the recovery, or what is not of one. */
  readonly of: Exclude<Stage, "noticed"> | "heartbeats meanwhile" | "before" | "after";
  /** A steady state is told per second. */
  readonly perSecond: boolean;
  readonly all: Volume;
  /** By id: what each server sent. */
  readonly servers: Readonly<Record<string, Volume>>;
}

/** Empty when the servers do not tell. `ended` is null when there was no fault, or no end of the outage. */
export function traffic(
  events: readonly RecordedEvent[],
  spans: ByPhase<Span>,
  faultAt: number,
  ended: Outage | null,
): readonly TrafficRow[] {
  const tellings = tellingsOf(events);
  const row = (of: TrafficRow["of"], volumeOf: (server: Telling[]) => Volume | null): TrafficRow[] => {
    const servers = [...tellings].flatMap(([server, told]): [string, Volume][] => {
      const volume = volumeOf(told);
      return volume === null ? [] : [[String(server), volume]];
    });
    if (servers.length === 0) return [];
    const perSecond = of === "before" || of === "after";
    return [
      { of, perSecond, all: sum(servers.map(([, volume]) => volume)), servers: Object.fromEntries(servers) },
    ];
  };
  const before = row("before", (told) => rate(told, spans.before));
  const after = row("after", (told) => rate(told, spans.after));
  if (ended === null) return [...before, ...after];
  const settled = { from: faultAt, to: Math.max(spans.after.from, ended.endedAt + CLOSE) };
  const stage = (of: TrafficRow["of"], purpose: Purpose, span = settled): TrafficRow[] =>
    row(of, (told) => within(told, span, purpose));
  const looking = new Map(
    events
      .flatMap(({ at, server, event }) =>
        event.kind === "looking" && at >= faultAt && at <= ended.endedAt ? [[server, at] as const] : [],
      )
      .toReversed(),
  );
  const meanwhile = (of: TrafficRow["of"], purpose: Purpose): TrafficRow[] =>
    row(of, (told) => {
      const from = looking.get(told[0]?.server ?? 0);
      return from === undefined ? null : between(told, { from, to: ended.endedAt }, purpose);
    });
  return [
    ...before,
    ...stage("elected", "election", untilKnown(events, settled)),
    ...stage("discovered", "discovery"),
    ...stage("pulled", "pull"),
    ...stage("synchronized", "synchronization"),
    ...meanwhile("first commit", "broadcast"),
    ...meanwhile("heartbeats meanwhile", "heartbeat"),
    ...after,
  ];
}

/** Until the last of them knew whom to follow: who has a leader may speak of the next one later. */
function untilKnown(events: readonly RecordedEvent[], { from, to }: Span): Span {
  const known = events.filter(({ at, event }) => event.kind === "elected" && at >= from && at <= to);
  return known.length === 0
    ? { from, to }
    : { from, to: Math.max(...known.map(({ at }) => at)) + SPOKEN_OUT };
}

interface Telling {
  readonly server: number;
  readonly at: number;
  readonly sent: Readonly<Record<Purpose, Volume>>;
}

/** By server, in order. A server that starts again counts from nothing, and is told on from where it was. */
function tellingsOf(events: readonly RecordedEvent[]): ReadonlyMap<number, Telling[]> {
  const byServer = new Map<number, Telling[]>();
  const lost = new Map<number, Readonly<Record<Purpose, Volume>>>();
  for (const { at, server, event } of events) {
    if (event.kind !== "traffic") continue;
    const told = byServer.get(server) ?? [];
    byServer.set(server, told);
    const last = told.at(-1);
    let before = lost.get(server) ?? null;
    if (
      last !== undefined &&
      last.sent.heartbeat.messages > event.sent.heartbeat.messages + (before?.heartbeat.messages ?? 0)
    ) {
      before = last.sent;
      lost.set(server, before);
    }
    told.push({ server, at, sent: before === null ? event.sent : plus(before, event.sent) });
  }
  return byServer;
}

function plus(a: Telling["sent"], b: Telling["sent"]): Telling["sent"] {
  const purposes = Object.keys(b) as Purpose[];
  return Object.fromEntries(
    purposes.map((purpose) => [purpose, sum([a[purpose], b[purpose]])]),
  ) as Telling["sent"];
}

function rate(told: readonly Telling[], { from, to }: Span): Volume | null {
  const inside = told.filter(({ at }) => at >= from && at <= to);
  const [first, last] = [inside[0], inside.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at) return null;
  const perSecond = 1e6 / (last.at - first.at);
  const { messages, bytes } = minus(sum(Object.values(last.sent)), sum(Object.values(first.sent)));
  return { messages: messages * perSecond, bytes: bytes * perSecond };
}

/** From the last telling before the span to the last one in it. */
function within(told: readonly Telling[], { from, to }: Span, purpose: Purpose): Volume | null {
  const last = told.findLast(({ at }) => at <= to);
  if (last === undefined || last.at < from) return null;
  const first = told.findLast(({ at }) => at < from);
  return minus(last.sent[purpose], first?.sent[purpose] ?? NOTHING);
}

/** From the first telling of the span to the first one after it. */
function between(told: readonly Telling[], { from, to }: Span, purpose: Purpose): Volume | null {
  const [first, last] = [told.find(({ at }) => at >= from), told.find(({ at }) => at >= to)];
  if (first === undefined || last === undefined) return null;
  return minus(last.sent[purpose], first.sent[purpose]);
}

const NOTHING: Volume = { messages: 0, bytes: 0 };

const minus = (a: Volume, b: Volume): Volume => ({
  messages: a.messages - b.messages,
  bytes: a.bytes - b.bytes,
});

const sum = (volumes: readonly Volume[]): Volume => ({
  messages: volumes.reduce((total, { messages }) => total + messages, 0),
  bytes: volumes.reduce((total, { bytes }) => total + bytes, 0),
});

/** How often servers tell around an election. */
const CLOSE = 10_000;
/** What the last one says when it knows, and when that is told. */
const SPOKEN_OUT = 200_000;
