/**
 * The election that found the next leader: what every server thought of itself in that round. Whom an oracle
 * had to elect follows from these scores, whatever a model of the deployment says.
 */

import type { Score } from "#node/core/score.ts";
import { candidateOf } from "#node/telemetry/facts.ts";
import type { RecordedEvent } from "../system/system.ts";

export interface Election {
  readonly round: number;
  readonly leader: number;
  /** By ascending id. */
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly server: number;
  readonly score: Score;
  /** The numbers behind the score. */
  readonly why: Readonly<Record<string, number>>;
}

/** The last since then whose winner knows that it has won; null when the events tell of none. */
export function election(events: readonly RecordedEvent[], since: number): Election | null {
  const won = events.findLast(
    ({ at, server, event }) => at >= since && event.kind === "elected" && event.leader === server,
  );
  if (won?.event.kind !== "elected") return null;
  const { round, leader } = won.event;
  const candidates = new Map<number, Candidate>();
  for (const { at, server, event } of events) {
    if (at < since || event.kind !== "observed") continue;
    const stands = candidateOf(event.facts);
    if (stands?.round === round) candidates.set(server, { server, score: stands.score, why: stands.why });
  }
  return { round, leader, candidates: [...candidates.values()].sort((a, b) => a.server - b.server) };
}
