/** What a host of the medium `service` counts for one member; the member takes no part in it. */

import { ADD_WATCH_MODES, EVENT_TYPES, type EventType, type WatchEvent } from "../wire/client/watch.ts";
import type { Answer } from "../core/service.ts";
import type { Coordination } from "../wire/client/coordination.ts";
import { ERRORS } from "../wire/client/error.ts";

type Question = Coordination["question"];

const NAMES: ReadonlyMap<number, EventType> = new Map(
  Object.entries(EVENT_TYPES).map(([name, type]) => [type, name as EventType]),
);

export class ServiceCounts {
  /** Questions, by kind. */
  readonly asked = new Map<Question["kind"], number>();
  /** Events of watches that were told, by what they say. */
  readonly watched = new Map<EventType, number>();
  /** Watches that the service has set. */
  watches = 0;
  refused = 0;
  unknown = 0;

  ask({ kind }: Question): void {
    this.asked.set(kind, (this.asked.get(kind) ?? 0) + 1);
  }

  answered(question: Question, answer: Answer<Coordination>): void {
    if (answer.kind !== "done") this[answer.kind] += 1;
    if (setsWatch(question, answer)) this.watches += 1;
  }

  told({ type }: WatchEvent): void {
    const name = NAMES.get(type);
    if (name !== undefined) this.watched.set(name, (this.watched.get(name) ?? 0) + 1);
  }

  /** Events of all kinds. */
  get notifications(): number {
    return [...this.watched.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** Of what is not there the service tells when it is created, if that was asked by `exists`. */
function setsWatch(question: Question, answer: Answer<Coordination>): boolean {
  if (answer.kind === "unknown") return false;
  if (question.kind === "addWatch") return answer.kind === "done" && question.mode < ADD_WATCH_MODES.length;
  if (!("watch" in question) || !question.watch) return false;
  return answer.kind === "done" || (question.kind === "exists" && answer.error === ERRORS.noNode);
}
