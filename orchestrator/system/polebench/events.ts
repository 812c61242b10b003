/**
 * From the log of a server, one JSON document a line, to the events of a recording. Lines that are about its
 * host or its end, and a last line that a crash cut off, are not events of the replica.
 */

import { isEventKind, type ReplicaEvent } from "#node/telemetry/event.ts";
import type { RecordedEvent } from "../system.ts";

/** `origin` is when the load began, on the clock of the log's `at`. */
export function eventsOf(log: string, server: number, origin: number): readonly RecordedEvent[] {
  return log.split("\n").flatMap((line) => {
    const fields = fieldsOf(line);
    if (fields === null || !isEventKind(fields["event"]) || typeof fields["at"] !== "number") return [];
    const { event: kind, at, level: _level, time: _time, msg: _msg, server: about, ...rest } = fields;
    const isAboutServer = kind === "up" || kind === "down";
    const event = { kind, ...(isAboutServer ? { server: about } : {}), ...rest } as unknown as ReplicaEvent;
    return [{ at: at - origin, server, event }];
  });
}

/** Did the server say so? Also of what is no event of the replica, such as `listening`. */
export const hasSaid = (log: string, event: string): boolean => log.includes(`"event":"${event}"`);

function fieldsOf(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}
