/**
 * What a server went through from a fault until the next epoch's first commit, by nothing but its own events.
 *
 * Its story is a row of events. Each stretch between two that follow one another belongs to the stage that
 * leads from the one to the other; a stretch between two that should not follow one another belongs to none,
 * and neither does what comes after the last one told. So the stages of a server may be less than the time
 * that passed, and then something happened that no event accounts for.
 *
 *   noticed        it has noticed that nobody leads
 *   elected        it knows who leads; attempts that came to nothing are part of it
 *   discovered     the leader: a quorum has promised to follow, and told what it has
 *   pulled         the leader: it has what it lacked of the newest history (nothing, when it was its own)
 *   synchronized   the leader: a quorum has the initial history, the epoch is established, and it serves
 *   joined         a follower: its leader has brought it level, and it serves
 *   first commit   the epoch's first write is committed, and executed here
 */

import type { RecordedEvent } from "../system/system.ts";

export const SERVER_STAGES = [
  "noticed",
  "elected",
  "discovered",
  "pulled",
  "synchronized",
  "joined",
  "first commit",
] as const;
export type ServerStage = (typeof SERVER_STAGES)[number];

export interface ServerRecovery {
  readonly server: number;
  /** Milliseconds. */
  readonly stages: Readonly<Record<ServerStage, number>>;
  /**
   * When the epoch's first commit was executed here, in microseconds since the load began; null: never told.
   */
  readonly committedAt: number | null;
}

/** Where a server is, by the last event it told. `unaware`: it has told nothing since the fault. */
type Whereabouts =
  | "unaware"
  | "looking"
  | "leading"
  | "following"
  | "discovered"
  | "pulling"
  | "pulled"
  | "established"
  | "serving"
  | "committed";

/** What may lead where, and which stage that is. */
const STRETCHES: readonly (readonly [
  stage: ServerStage,
  from: readonly Whereabouts[],
  to: readonly Whereabouts[],
])[] = [
  ["noticed", ["unaware"], ["looking"]],
  ["elected", ["looking", "leading", "following"], ["looking", "leading", "following"]],
  ["elected", ["discovered", "pulling", "pulled"], ["looking"]],
  ["discovered", ["leading"], ["discovered"]],
  ["pulled", ["discovered", "pulling", "pulled"], ["pulling", "pulled"]],
  ["synchronized", ["discovered", "pulled"], ["established"]],
  ["synchronized", ["established"], ["serving"]],
  ["joined", ["following"], ["serving", "committed"]],
  ["first commit", ["established", "serving"], ["committed"]],
];

const stageOf = (from: Whereabouts, to: Whereabouts): ServerStage | null =>
  STRETCHES.find(([, before, after]) => before.includes(from) && after.includes(to))?.[0] ?? null;

/** Of each server that told anything, in order of their ids. `epoch` is the one that ended the outage. */
export function serverRecoveries(
  events: readonly RecordedEvent[],
  faultAt: number,
  epoch: number,
): readonly ServerRecovery[] {
  const byServer = Map.groupBy(events, ({ server }) => server);
  return [...byServer]
    .sort(([a], [b]) => a - b)
    .flatMap(([server, own]) => recoveryOf(server, own, faultAt, epoch) ?? []);
}

function recoveryOf(
  server: number,
  own: readonly RecordedEvent[],
  faultAt: number,
  epoch: number,
): ServerRecovery | null {
  const told = storyOf(server, own, faultAt, epoch);
  if (told.length === 0) return null;
  let stages: Record<ServerStage, number> = { ...NO_TIME };
  let place: Whereabouts = lookedAlready(own, faultAt) ? "looking" : "unaware";
  let since = faultAt;
  for (const { at, next } of told) {
    const stage = stageOf(place, next);
    if (stage !== null) stages[stage] += (at - since) / 1e3;
    if (next === "looking") stages = inVain(stages);
    [place, since] = [next, at];
  }
  return { server, stages, committedAt: place === "committed" ? since : null };
}

interface Step {
  readonly at: number;
  readonly next: Whereabouts;
}

/** Until the epoch's first commit, or until it serves where commits are not told. */
function storyOf(
  server: number,
  own: readonly RecordedEvent[],
  faultAt: number,
  epoch: number,
): readonly Step[] {
  const after = own.filter(({ at }) => at >= faultAt).sort((a, b) => a.at - b.at);
  const end = (kind: "committed" | "serving"): number =>
    after.findIndex(({ event }) => event.kind === kind && event.epoch === epoch);
  const [committed, serving] = [end("committed"), end("serving")];
  const last = committed >= 0 ? committed : serving >= 0 ? serving : after.length - 1;
  return after.slice(0, last + 1).flatMap(({ at, event }) => {
    const next = placeAfter(event, server);
    const isOther = event.kind === "committed" && event.epoch !== epoch;
    return next === null || isOther ? [] : [{ at, next }];
  });
}

/** An attempt that came to nothing was part of the election, however far it went. */
function inVain({ noticed, ...stages }: Record<ServerStage, number>): Record<ServerStage, number> {
  return { ...NO_TIME, noticed, elected: Object.values(stages).reduce((sum, ms) => sum + ms, 0) };
}

/** Who was without a leader when the fault came has nothing to notice. */
const lookedAlready = (own: readonly RecordedEvent[], faultAt: number): boolean =>
  own.findLast(
    ({ at, event: { kind } }) =>
      at < faultAt && (kind === "looking" || kind === "serving" || kind === "established"),
  )?.event.kind === "looking";

function placeAfter(event: RecordedEvent["event"], server: number): Whereabouts | null {
  switch (event.kind) {
    case "looking":
    case "discovered":
    case "pulling":
    case "pulled":
    case "established":
    case "serving":
    case "committed":
      return event.kind;
    case "elected":
      return event.leader === server ? "leading" : "following";
    default:
      return null;
  }
}

export const NO_TIME: Readonly<Record<ServerStage, number>> = {
  noticed: 0,
  elected: 0,
  discovered: 0,
  pulled: 0,
  synchronized: 0,
  joined: 0,
  "first commit": 0,
};
