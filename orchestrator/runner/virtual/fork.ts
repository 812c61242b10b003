/**
 * Another future of a trial in virtual time: everything is as it was until a moment, and from then on other
 * faults happen, or servers judge by another oracle. The same seed draws the same past, whatever comes later.
 */

import type { Duration } from "#node/core/time.ts";
import type { Oracle } from "#node/oracle/oracle.ts";
import type { TimedFault } from "../../fault/fault.ts";
import { oracleOf } from "../../plan/oracle-plan.ts";
import type { OraclePlan, ServicePlan } from "../../plan/plan.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { simulateUntil } from "./trial.ts";

export interface Turn {
  /** Since the load began. */
  readonly at: Duration;
  /** At that moment or later. */
  readonly faults: readonly TimedFault[];
  /** What was planned for later does not happen. */
  readonly instead: boolean;
  /** Null: as before. */
  readonly oracle: OraclePlan | null;
}

export interface Futures {
  readonly asItWas: ServiceRecording;
  readonly turned: ServiceRecording;
}

export async function fork(plan: ServicePlan, turn: Turn, signal: AbortSignal): Promise<Futures> {
  const before = await oracleOf(plan.subject.oracle);
  const after = await oracleOf(turn.oracle ?? plan.subject.oracle);
  return {
    asItWas: await simulateUntil(plan, signal, { oracle: before }),
    turned: await simulateUntil(turnedPlan(plan, turn), signal, { oracle: turning(before, after, turn.at) }),
  };
}

function turnedPlan(plan: ServicePlan, { at, faults, instead }: Turn): ServicePlan {
  const kept = instead ? plan.faults.filter((fault) => fault.at < at) : plan.faults;
  return { ...plan, faults: [...kept, ...faults].sort((a, b) => a.at - b.at) };
}

/** All servers turn at one instant; scores that are under way then are compared by the new oracle. */
function turning(before: () => Oracle, after: () => Oracle, at: number): (now: () => number) => Oracle {
  return (now) => {
    const [first, then] = [before(), after()];
    const oracle = (): Oracle => (now() < at ? first : then);
    return {
      score: (view, round) => oracle().score(view, round),
      compare: (a, b) => oracle().compare(a, b),
      ready: (view) => oracle().ready(view),
      explain: (view, round) => oracle().explain(view, round),
    };
  };
}
