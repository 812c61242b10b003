/**
 * Where the recovery time went: how long nobody was served, as clients saw it, beside the stages that the
 * servers' own events tell of (`server-recovery.ts`). The two know nothing of each other, so that the stages
 * can be less than the outage: what no event accounts for is told as that.
 *
 * The stages are the new leader's, and the last one ends where the server that answered the first client had
 * executed the epoch's first write. What is left is the way of that answer, as long as all is well.
 */

import type { ReplicaEvent } from "#node/telemetry/event.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { Outage } from "./outage.ts";
import { type ServerRecovery, serverRecoveries } from "./server-recovery.ts";

/** Of the new leader, one after the other. */
export const STAGES = ["noticed", "elected", "discovered", "pulled", "synchronized", "first commit"] as const;
export type Stage = (typeof STAGES)[number];

export interface Recovery {
  readonly leader: number;
  /** What each stage took. */
  readonly stages: Readonly<Record<Stage, number>>;
  /** From the fault to the first write that a client was told of. */
  readonly totalMs: number;
  /** Of that, what is in no stage. */
  readonly unaccountedMs: number;
  /** What each server went through, the leader among them. */
  readonly servers: readonly ServerRecovery[];
  /**
   * Until the last server that lives noticed that nobody leads: those before it wait for its score, so this
   * is when the election can be decided.
   */
  readonly detectionMs: number;
  /**
   * As the POLE paper counts: from the new leader recognising itself to its first write. Null when it did not
   * tell of its election.
   */
  readonly paperMs: number | null;
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
  const servers = serverRecoveries(events, faultAt, ended.epoch);
  const stages = stagesOf(servers, leader, ended.server);
  const totalMs = (ended.endedAt - faultAt) / 1e3;
  const own = events.filter(({ server, at }) => server === leader && at >= faultAt);
  const last = (kind: ReplicaEvent["kind"]): RecordedEvent | undefined =>
    own.findLast(({ at, event }) => at <= established.at && event.kind === kind);
  const [elected, pull] = [last("elected"), last("pulled")];
  return {
    leader,
    stages,
    totalMs,
    unaccountedMs: totalMs - Object.values(stages).reduce((sum, ms) => sum + ms, 0),
    servers,
    detectionMs: (detected(events, faultAt, ended) - faultAt) / 1e3,
    paperMs: elected === undefined ? null : (ended.endedAt - elected.at) / 1e3,
    pulledBytes: pull?.event.kind === "pulled" ? pull.event.bytes : 0,
    followers: followersOf(own, faultAt),
  };
}

/** The leader's own, and what passed from its first commit until `answering` had it too. */
function stagesOf(
  servers: readonly ServerRecovery[],
  leader: number,
  answering: number,
): Record<Stage, number> {
  const of = (id: number): ServerRecovery | undefined => servers.find(({ server }) => server === id);
  const own = of(leader);
  const [committedAt, executedAt] = [own?.committedAt ?? null, of(answering)?.committedAt ?? null];
  const further = committedAt === null || executedAt === null ? 0 : (executedAt - committedAt) / 1e3;
  const stage = (name: Stage): number =>
    (own?.stages[name] ?? 0) + (name === "first commit" ? Math.max(0, further) : 0);
  return Object.fromEntries(STAGES.map((name) => [name, stage(name)])) as Record<Stage, number>;
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
