/** A run that is over, as the stream it was or would have been. */

import { conclude } from "../measure/conclude.ts";
import type { Threshold } from "../measure/threshold.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import type { StreamRecord } from "./record.ts";
import { Stream } from "./stream.ts";

/** In order of time, the plan first and the end last. */
export function recordsOf(
  recording: ServiceRecording,
  thresholds: readonly Threshold[] = [],
): readonly StreamRecord[] {
  const records: StreamRecord[] = [];
  const stream = new Stream(recording.plan, { thresholds, handsOn: false }, (record) => records.push(record));
  const { idle, loaded } = recording.certificates;
  if (idle !== null) stream.certified("idle", idle);
  if (loaded !== null) stream.certified("loaded", loaded);
  for (const event of recording.events) stream.event(event);
  for (const mark of recording.marks) stream.mark(mark);
  stream.operations(recording.operations);
  stream.end(conclude(recording, thresholds).summary);
  return records.sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
}

const isBefore = (a: StreamRecord, b: StreamRecord): boolean => placeOf(a) < placeOf(b);

function placeOf(record: StreamRecord): number {
  if ("at" in record) return record.at;
  return record.kind === "end" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}
