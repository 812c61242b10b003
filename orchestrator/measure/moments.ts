/**
 * When the faults of a trial came, as they happened: a busy machine carries one out later than was planned,
 * and a phase that began by the plan would hold writes of another. What never came counts as planned.
 */

import { printFault } from "../fault/words.ts";
import { faultAt, hurts, type ServicePlan, settledAt } from "../plan/plan.ts";
import type { Mark, ServiceRecording } from "../recording/recording.ts";

/** In microseconds since the load began. */
export interface Moments {
  /** The first fault that hurts, or the end of the load when none does. */
  readonly fault: number;
  /** From when on the service is in its second steady state. */
  readonly settled: number;
}

export function momentsOf({ plan, marks }: Pick<ServiceRecording, "plan" | "marks">): Moments {
  const happened = happenedAt(plan, marks);
  const late = Math.max(0, ...plan.faults.map(({ at }, index) => (happened[index] ?? at) - at));
  const first = plan.faults.findIndex(hurts);
  return {
    fault: happened[first] ?? faultAt(plan),
    settled: Math.min(settledAt(plan) + late, plan.phases.duration),
  };
}

/** The latest of all, in milliseconds after it was due; null where none came. */
export function lateFault({ plan, marks }: Pick<ServiceRecording, "plan" | "marks">): LateFault | null {
  const happened = happenedAt(plan, marks);
  const late = plan.faults.flatMap(({ at, fault }, index) => {
    const came = happened[index];
    return came === null || came === undefined ? [] : [{ what: printFault(fault), ms: (came - at) / 1e3 }];
  });
  return late.toSorted((a, b) => b.ms - a.ms)[0] ?? null;
}

export interface LateFault {
  readonly what: string;
  readonly ms: number;
}

/** In the order of the plan, which is that in which they come; null of one that did not. */
function happenedAt({ faults }: ServicePlan, marks: readonly Mark[]): readonly (number | null)[] {
  const left = [...marks];
  return faults.map(({ fault }) => {
    const at = left.findIndex((mark) => mark.fault === printFault(fault));
    return at === -1 ? null : (left.splice(at, 1)[0]?.at ?? null);
  });
}
