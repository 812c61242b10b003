/**
 * Where the recovery time went: the stages that the new leader went through, one after the other, each from
 * the end of the one before.
 *
 *   noticed        the server that will lead has noticed that nobody leads
 *   elected        it knows that it leads
 *   discovered     a quorum has promised to follow, and told what it has
 *   pulled         the leader has what it lacked of the newest history (nothing, when it was its own)
 *   synchronized   a quorum has the initial history: the epoch is established
 *   first write    a client has its first acknowledgement
 */

import type { ReplicaEvent } from "#node/telemetry/event.ts";
import type { RecordedEvent } from "../recording/recording.ts";
import type { Outage } from "./outage.ts";

export const STAGES = ["noticed", "elected", "discovered", "pulled", "synchronized", "first write"] as const;
export type Stage = (typeof STAGES)[number];

export interface Recovery {
  readonly leader: number;
  /** What each stage took. */
  readonly stages: Readonly<Record<Stage, number>>;
  /** From the fault to the first write: the sum of the stages. */
  readonly totalMs: number;
  /**
   * Until the last server that lives noticed that nobody leads: those before it wait for its score, so this
   * is when the election can be decided.
   */
  readonly detectionMs: number;
  /** As the POLE paper counts: from the new leader recognising itself to its first write. */
  readonly paperMs: number;
  readonly pulledBytes: number;
  /** How followers were brought level, and with how many bytes. */
  readonly followers: readonly FollowerSync[];
}

export interface FollowerSync {
  readonly server: number;
  readonly how: "diff" | "truncate" | "snapshot";
  readonly bytes: number;
  /** Since the fault; null when it did not finish within the run. */
  readonly doneMs: number | null;
}

/** Who led when: each established epoch, by its leader's own word. */
export interface Reign {
  readonly leader: number;
  readonly epoch: number;
  readonly from: number;
}

export const reigns = (events: readonly RecordedEvent[]): readonly Reign[] =>
  events.flatMap(({ at, server, event }) =>
    event.kind === "established" ? [{ leader: server, epoch: event.epoch, from: at }] : [],
  );

export const leaderAt = (of: readonly Reign[], at: number): number | null =>
  of.findLast(({ from }) => from <= at)?.leader ?? null;

/** Null when the events do not tell: another system, or no outage. */
export function recovery(
  events: readonly RecordedEvent[],
  faultAt: number,
  ended: Outage | null,
): Recovery | null {
  if (ended === null) return null;
  const established = events.find(({ event }) => event.kind === "established" && event.epoch === ended.epoch);
  if (established === undefined || established.at < faultAt) return null;
  const leader = established.server;
  const own = events.filter(({ server, at }) => server === leader && at >= faultAt);
  const last = (before: number, kind: ReplicaEvent["kind"]): number =>
    own.findLast(({ at, event }) => at <= before && event.kind === kind)?.at ?? Number.NaN;
  const discovered = last(established.at, "discovered");
  const elected = last(discovered, "elected");
  // Attempts that came to nothing are part of the election.
  const noticed =
    own.find(({ event }) => event.kind === "looking")?.at ?? lookedAlready(events, leader, faultAt);
  const pull = own.findLast(
    ({ at, event }) => at >= discovered && at <= established.at && event.kind === "pulled",
  );
  const pulled = pull?.at ?? discovered;
  const moments = [faultAt, noticed, elected, discovered, pulled, established.at, ended.endedAt];
  if (moments.some(Number.isNaN)) return null;
  const stage = (index: number): number => ((moments[index + 1] ?? 0) - (moments[index] ?? 0)) / 1e3;
  const stages = Object.fromEntries(STAGES.map((name, index) => [name, stage(index)])) as Record<
    Stage,
    number
  >;
  return {
    leader,
    stages,
    totalMs: (ended.endedAt - faultAt) / 1e3,
    detectionMs: (detected(events, faultAt, ended) - faultAt) / 1e3,
    paperMs: (ended.endedAt - elected) / 1e3,
    pulledBytes: pull?.event.kind === "pulled" ? pull.event.bytes : 0,
    followers: followersOf(own, faultAt),
  };
}

/** Who was without a leader when the fault came has nothing to notice. */
function lookedAlready(events: readonly RecordedEvent[], server: number, faultAt: number): number {
  const last = events.findLast(
    ({ at, server: of, event: { kind } }) =>
      of === server && at < faultAt && (kind === "looking" || kind === "serving"),
  );
  return last?.event.kind === "looking" ? faultAt : Number.NaN;
}

/** The latest of the servers' first looks for another leader. */
function detected(events: readonly RecordedEvent[], faultAt: number, { endedAt }: Outage): number {
  const first = new Map<number, number>();
  for (const { at, server, event } of events) {
    if (event.kind !== "looking" || at < faultAt || at > endedAt || first.has(server)) continue;
    first.set(server, at);
  }
  return Math.max(...first.values());
}

function followersOf(own: readonly RecordedEvent[], faultAt: number): readonly FollowerSync[] {
  const followers: FollowerSync[] = [];
  for (const { at, event } of own) {
    if (event.kind !== "synchronizing") continue;
    const done = own.find(
      (later) =>
        later.at >= at && later.event.kind === "synchronized" && later.event.follower === event.follower,
    );
    followers.push({
      server: event.follower,
      how: event.how,
      bytes: done?.event.kind === "synchronized" ? done.event.bytes : 0,
      doneMs: done === undefined ? null : (done.at - faultAt) / 1e3,
    });
  }
  return followers;
}
