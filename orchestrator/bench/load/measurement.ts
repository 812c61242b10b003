/** Counts what becomes of requests while it is told to. */

import { build } from "hdr-histogram-js";
import { monotonic } from "./clock.ts";
import type { Tally } from "./client.ts";
import type { LatencySummary, LoadResult, Sample } from "./plan.ts";

export class Measurement implements Tally {
  readonly #keepSamples: boolean;
  readonly #latency = build({ highestTrackableValue: 600e6, numberOfSignificantValueDigits: 3 });
  readonly #samples: Sample[] = [];
  #from = Infinity;
  #until = Infinity;
  #cpuSeconds = 0;
  #acknowledged = 0;
  #refused = 0;
  #unknown = 0;

  constructor(keepSamples: boolean) {
    this.#keepSamples = keepSamples;
  }

  now(): number {
    return monotonic();
  }

  begin(): void {
    this.#from = monotonic();
    this.#cpuSeconds = -cpuSeconds();
  }

  /** Requests that were due before now are still counted when they are answered. */
  end(): void {
    this.#until = monotonic();
    this.#cpuSeconds += cpuSeconds();
  }

  acknowledged(intended: number, sent: number, completed: number): void {
    if (!this.#counts(intended)) return;
    if (completed <= this.#until) this.#acknowledged += 1;
    this.#latency.recordValue(Math.max(1, completed - intended));
    if (this.#keepSamples) this.#samples.push([intended, sent, completed]);
  }

  refused(): void {
    if (this.#counts(monotonic())) this.#refused += 1;
  }

  unknown(intended: number): void {
    if (this.#counts(intended)) this.#unknown += 1;
  }

  result(): LoadResult {
    return {
      seconds: (this.#until - this.#from) / 1e6,
      acknowledged: this.#acknowledged,
      refused: this.#refused,
      unknown: this.#unknown,
      latencyMs: this.#summary(),
      cpuSeconds: this.#cpuSeconds,
      samples: this.#samples,
    };
  }

  #counts(intended: number): boolean {
    return intended >= this.#from && intended <= this.#until;
  }

  #summary(): LatencySummary {
    const at = (percentile: number): number => this.#latency.getValueAtPercentile(percentile) / 1e3;
    return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: this.#latency.maxValue / 1e3 };
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
