/**
 * How long writes took, by phase and by site. A request belongs to the phase in which it should have been
 * sent: what was held up by the fault belongs to the fault, however late it was answered.
 */

import type { ServicePlan } from "../plan/plan.ts";
import type { Moments } from "./moments.ts";
import { latencyMs, type WriteOperation } from "../workload/operation.ts";
import { type Distribution, distribution, type Statistics, statistics } from "../statistics/summary.ts";

export const PHASES = ["before", "during", "after"] as const;
/** Before the first fault; from it until the service has settled; steady again. */
export type Phase = (typeof PHASES)[number];

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface PhaseLatency {
  /**
   * Milliseconds. A write that was not acknowledged counts with the time until that was known; null where
   * none was acknowledged.
   */
  readonly latency: Statistics | null;
  readonly distribution: Distribution;
  readonly acknowledged: number;
  readonly failed: number;
  readonly unknown: number;
}

export type ByPhase<T> = Readonly<Record<Phase, T>>;

export interface Latencies {
  readonly overall: ByPhase<PhaseLatency>;
  readonly sites: Readonly<Record<string, ByPhase<PhaseLatency>>>;
}

/**
 * Microseconds since the load began. Without a fault everything after the warm-up is before. What was under
 * way when the fault came is part of it, so the first phase ends a second earlier.
 */
export function phaseSpans(plan: ServicePlan, { fault, settled }: Moments): ByPhase<Span> {
  const { warmUp, duration } = plan.phases;
  if (plan.faults.length === 0) {
    const none = { from: duration, to: duration };
    return { before: { from: warmUp, to: duration }, during: none, after: none };
  }
  const end = Math.max(warmUp, fault - UNDER_WAY);
  return {
    before: { from: warmUp, to: end },
    during: { from: end, to: settled },
    after: { from: settled, to: duration },
  };
}

export function latencies(
  plan: ServicePlan,
  spans: ByPhase<Span>,
  operations: readonly WriteOperation[],
): Latencies {
  const byPhase = (of: readonly WriteOperation[]): ByPhase<PhaseLatency> => ({
    before: phaseLatency(within(of, spans.before)),
    during: phaseLatency(within(of, spans.during)),
    after: phaseLatency(within(of, spans.after)),
  });
  const names = [...plan.topology.sites.keys()].filter((name) =>
    operations.some(({ site }) => site === name),
  );
  const sites = names.map((name): [string, ByPhase<PhaseLatency>] => [
    name,
    byPhase(operations.filter(({ site }) => site === name)),
  ]);
  return { overall: byPhase(operations), sites: Object.fromEntries(sites) };
}

/**
 * How long after they were due requests left their clients, in steady state: milliseconds, which are part of
 * every latency. While nobody serves, requests wait for a connection, and that says nothing of the clients.
 */
export function lateness(
  { before, after }: ByPhase<Span>,
  operations: readonly WriteOperation[],
): Statistics | null {
  const steady = [...within(operations, before), ...within(operations, after)];
  return statistics(steady.map(({ sent, intended }) => (sent - intended) / 1e3));
}

const within = (operations: readonly WriteOperation[], { from, to }: Span): readonly WriteOperation[] =>
  operations.filter(({ intended }) => intended >= from && intended < to);

function phaseLatency(operations: readonly WriteOperation[]): PhaseLatency {
  const acknowledged = operations.filter(({ outcome }) => outcome === "ok").map(latencyMs);
  const unended = operations.filter(({ outcome }) => outcome !== "ok").map(latencyMs);
  const count = (outcome: string): number =>
    operations.filter((operation) => operation.outcome === outcome).length;
  return {
    latency: statistics(acknowledged, unended),
    distribution: distribution(acknowledged.length === 0 ? [] : [...acknowledged, ...unended]),
    acknowledged: acknowledged.length,
    failed: count("failed"),
    unknown: count("unknown"),
  };
}

/** Longer than any write of an undisturbed wide-area ensemble takes. */
const UNDER_WAY = 1e6;
