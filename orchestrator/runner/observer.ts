/**
 * Who looks on while a trial runs. It is told after the fact and in batches, from the beginning of the load
 * on; whatever it makes of that, the trial does not wait for it.
 */

import type { Mark, MemberEvent } from "../recording/recording.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import type { WriteOperation } from "../workload/operation.ts";

/** What was not known the last time, each in order of time. */
export interface Sight {
  readonly events: readonly RecordedEvent[];
  readonly marks: readonly Mark[];
  readonly operations: readonly WriteOperation[];
  /** When it was looked, in microseconds since the load began. */
  readonly until: number;
}

export interface Observer {
  certified(when: "idle" | "loaded", certificate: Certificate): void;
  saw(sight: Sight): void;
}

/** The same of an election by itself. */
export interface GroupSight {
  readonly events: readonly MemberEvent[];
  readonly marks: readonly Mark[];
  readonly until: number;
}

export interface GroupObserver {
  saw(sight: GroupSight): void;
}

/** Of a list that only grows, what has come since the last call. */
export function fresh<Item>(list: () => readonly Item[]): () => readonly Item[] {
  let seen = 0;
  return () => {
    const all = list();
    const next = all.slice(seen);
    seen = all.length;
    return next;
  };
}
