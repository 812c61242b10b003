/**
 * Another oracle, held against flapping: who led last stays the best until it is beaten by a margin, and who
 * has just come back leads only where all have.
 *
 * It matters where a leader lost its quorum and not its life, and where servers come and go.
 */

import { type Duration, microseconds, toMilliseconds } from "../core/time.ts";
import type { Oracle, View } from "./oracle.ts";
import { lessIsBetter, NONE } from "./order.ts";
import { lessByShare } from "./timed.ts";
import { type TimedName, timedOracles } from "./timed-catalog.ts";

export interface Hysteresis {
  readonly of: TimedName;
  /** A share: 0.1 is a tenth. */
  readonly margin: number;
  /** Who has not been awake for so long has just come back. */
  readonly steady: Duration;
}

export const USUAL_HYSTERESIS: Hysteresis = {
  of: "relocated-latency",
  margin: 0.1,
  steady: microseconds(10e6),
};

export function hysteresis({ of, margin, steady }: Hysteresis): Oracle {
  const inner = timedOracles[of];
  const isNew = ({ self, reports }: View): number => ((reports.get(self)?.awake ?? 0) < steady ? 1 : 0);
  const cost = (view: View): Duration | null => {
    const whole = inner.cost(view);
    return whole === null ? null : microseconds(whole * (view.lastLeader === view.self ? 1 - margin : 1));
  };
  return {
    score(view) {
      const time = cost(view);
      return time === null ? NONE : [isNew(view), time];
    },
    compare: lessIsBetter,
    ready: (view) => inner.ready(view),
    explain(view, round): Record<string, number> {
      const time = cost(view);
      const held = time === null ? {} : { heldMs: toMilliseconds(time) };
      return { ...inner.explain(view, round), ...held, justBack: isNew(view) };
    },
    advantage: ([isBack, ...mine], [isTheirsBack, ...theirs]) =>
      isBack === isTheirsBack ? lessByShare(mine, theirs) : (isTheirsBack ?? 2) - (isBack ?? 2),
    milliseconds: ([, time]) => (time === undefined ? null : toMilliseconds(time as Duration)),
  };
}
