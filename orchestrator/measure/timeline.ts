/**
 * Latency and throughput over time, in equal steps. A step's latencies are of the requests that should have
 * been sent in it.
 */

import { latencyMs, type WriteOperation } from "../workload/operation.ts";
import type { Span } from "./latency.ts";
import { quantile } from "../statistics/summary.ts";

export interface Timeline {
  readonly stepMs: number;
  readonly fromMs: number;
  readonly steps: readonly Step[];
}

export interface Step {
  /** Requests that should have been sent in this step. */
  readonly sent: number;
  /** Acknowledgements that arrived in this step. */
  readonly acknowledged: number;
  /** Of the acknowledged among those sent; null when there is none. */
  readonly meanMs: number | null;
  readonly p99Ms: number | null;
}

export function timeline(operations: readonly WriteOperation[], { from, to }: Span, step: number): Timeline {
  const count = Math.max(0, Math.ceil((to - from) / step));
  const latencies: number[][] = Array.from({ length: count }, () => []);
  const sent = new Float64Array(count);
  const acknowledged = new Float64Array(count);
  const stepOf = (at: number): number => Math.floor((at - from) / step);
  for (const operation of operations) {
    const intendedIn = stepOf(operation.intended);
    if (intendedIn >= 0 && intendedIn < count) {
      sent[intendedIn] = (sent[intendedIn] ?? 0) + 1;
      if (operation.outcome === "ok") latencies[intendedIn]?.push(latencyMs(operation));
    }
    const completedIn = stepOf(operation.completed);
    if (operation.outcome === "ok" && completedIn >= 0 && completedIn < count) {
      acknowledged[completedIn] = (acknowledged[completedIn] ?? 0) + 1;
    }
  }
  const steps = latencies.map((values, index): Step => {
    const sorted = Float64Array.from(values).sort();
    const sum = sorted.reduce((total, value) => total + value, 0);
    return {
      sent: sent[index] ?? 0,
      acknowledged: acknowledged[index] ?? 0,
      meanMs: sorted.length === 0 ? null : sum / sorted.length,
      p99Ms: sorted.length === 0 ? null : quantile(sorted, 0.99),
    };
  });
  return { stepMs: step / 1e3, fromMs: from / 1e3, steps };
}
