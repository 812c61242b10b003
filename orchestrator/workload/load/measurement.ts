/** Counts what becomes of requests while it is told to. */

import { build, type Histogram } from "hdr-histogram-js";
import { monotonic } from "#node/host/monotonic.ts";
import type { LatencySummary, LoadResult, Sample } from "./plan.ts";
import type { Tally } from "./program.ts";

export class Measurement implements Tally {
  readonly #keepSamples: boolean;
  readonly #latency = histogram();
  readonly #service = histogram();
  readonly #samples: Sample[] = [];
  #from = Infinity;
  #until = Infinity;
  #cpuSeconds = 0;
  #acknowledged = 0;
  /** Since the program began. */
  answered = 0;
  #begun = monotonic();
  #steady: boolean | null = null;
  #warmUpSeconds = 0;
  #refused = 0;
  #unknown = 0;

  constructor(keepSamples: boolean) {
    this.#keepSamples = keepSamples;
  }

  now(): number {
    return monotonic();
  }

  begin(steady: boolean | null): void {
    this.#steady = steady;
    this.#warmUpSeconds = (monotonic() - this.#begun) / 1e6;
    this.#from = monotonic();
    this.#cpuSeconds = -cpuSeconds();
  }

  /** The load begins. */
  start(): void {
    this.#begun = monotonic();
  }

  /** Requests that were due before now are still counted when they are answered. */
  end(): void {
    this.#until = monotonic();
    this.#cpuSeconds += cpuSeconds();
  }

  /**
   * Throughput is what was answered in the counted time, latency of what was due, service of what was sent.
   */
  acknowledged(intended: number, sent: number, completed: number): void {
    this.answered += 1;
    if (this.#counts(completed)) this.#acknowledged += 1;
    if (this.#counts(sent)) this.#service.recordValue(Math.max(1, completed - sent));
    if (!this.#counts(intended)) return;
    this.#latency.recordValue(Math.max(1, completed - intended));
    if (this.#keepSamples) this.#samples.push([intended, sent, completed]);
  }

  refused(): void {
    if (this.#counts(monotonic())) this.#refused += 1;
  }

  unknown(intended: number): void {
    if (this.#counts(intended)) this.#unknown += 1;
  }

  /** With so many that were due and never sent. */
  result(heldBack: number): LoadResult {
    return {
      seconds: (this.#until - this.#from) / 1e6,
      warmUpSeconds: this.#warmUpSeconds,
      steady: this.#steady,
      acknowledged: this.#acknowledged,
      refused: this.#refused,
      unknown: this.#unknown,
      heldBack,
      latencyMs: summary(this.#latency),
      serviceMs: summary(this.#service),
      cpuSeconds: this.#cpuSeconds,
      samples: this.#samples,
    };
  }

  #counts(instant: number): boolean {
    return instant >= this.#from && instant <= this.#until;
  }
}

const histogram = (): Histogram => build({ highestTrackableValue: 600e6, numberOfSignificantValueDigits: 3 });

function summary(of: Histogram): LatencySummary {
  const at = (percentile: number): number => of.getValueAtPercentile(percentile) / 1e3;
  return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), max: of.maxValue / 1e3 };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
