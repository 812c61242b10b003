/** What a recording tells of who led when, and of places that were given away. */

import type { ReplicaEvent } from "#node/telemetry/event.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { latencyMs, type WriteOperation } from "../../workload/operation.ts";

type Resigned = Extract<ReplicaEvent, { kind: "resigned" }>;

/** Leaders in their order, each once it served; the first led when the load began. */
export function leadersOf({
  plan,
  events,
}: ServiceRecording): readonly { readonly at: number; readonly leader: number }[] {
  const found: { at: number; leader: number }[] = [{ at: 0, leader: plan.subject.firstLeader }];
  for (const { at, server, event } of events) {
    if (at < 0 || event.kind !== "serving" || event.leader !== server) continue;
    if (found.at(-1)?.leader !== server) found.push({ at, leader: server });
  }
  return found;
}

export const leaderAt = (recording: ServiceRecording, at: number): number =>
  leadersOf(recording).findLast((one) => one.at <= at)?.leader ?? 0;

/** What each change was to gain, and gained. */
export const gainsOf = ({ events }: ServiceRecording): readonly Resigned[] =>
  events.flatMap(({ event }) => (event.kind === "resigned" ? [event] : []));

export const unanswered = ({ operations }: ServiceRecording): number =>
  operations.filter(({ outcome }) => outcome !== "ok").length;

export const meanMs = (operations: readonly WriteOperation[]): number =>
  operations.reduce((sum, one) => sum + latencyMs(one), 0) / operations.length;

export const longestMs = (operations: readonly WriteOperation[]): number =>
  operations.reduce((most, one) => Math.max(most, latencyMs(one)), 0);

export const sentIn = (
  operations: readonly WriteOperation[],
  from: number,
  to: number,
): readonly WriteOperation[] => operations.filter(({ intended }) => intended >= from && intended < to);

export const shortest = (value: number): number => Number(value.toFixed(1));
