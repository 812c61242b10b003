/** Looks at a trial in virtual time, step by step. */

import type { Instant } from "#node/core/time.ts";
import type { RecordedEvent } from "../../system/system.ts";
import { fresh, type Observer } from "../observer.ts";
import type { SimulatedClients } from "./clients.ts";
import type { SimulatedFaults } from "./faults.ts";

interface Looked {
  /** By the ensemble's time. */
  readonly events: readonly { readonly at: Instant; readonly event: Omit<RecordedEvent, "at"> }[];
  readonly writers: SimulatedClients;
  readonly faulty: SimulatedFaults;
  readonly ensemble: { readonly now: Instant };
}

export function lookout(
  observer: Observer | null,
  { events, writers, faulty, ensemble }: Looked,
  origin: Instant,
): () => void {
  if (observer === null) return () => {};
  const [told, ended, struck] = [
    fresh(() => events),
    fresh(() => writers.operations),
    fresh(() => faulty.marks),
  ];
  return () =>
    observer.saw({
      events: told().map(({ at, event }) => ({ at: at - origin, ...event })),
      operations: ended(),
      marks: struck(),
      until: ensemble.now - origin,
    });
}
