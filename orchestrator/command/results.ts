/**
 * Where the results of a paper's figures come from: trials that are carried out, or what those left behind.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Setting } from "../experiments/experiment.ts";
import { bandwidthAt, FIGURE_3, ROUND_TRIPS_MS } from "../experiments/figure-3.ts";
import { conclude } from "../measure/conclude.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { attemptsIn, type KeptAttempt } from "../recording/attempts.ts";
import { writeRecording } from "../recording/run-folder.ts";
import { sourcesAsLoaded } from "../recording/sources.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { printPlan } from "../plan/plan-text.ts";
import { reasonOf } from "./attempted.ts";
import { type CellOutcome, CellRunner } from "./cell-runner.ts";
import { expectedSeconds } from "./expected-seconds.ts";
import { summaryOf } from "./kept-summary.ts";
import { Progress } from "./progress.ts";
import type { Watching } from "./watching.ts";

export interface Results {
  /** `what` for people; `cell` is its folder below `cells`. */
  trial(what: string, cell: string, plan: ServicePlan): Promise<CellOutcome>;
  /** What was tried at that cell before, and is no result. */
  attempts(cell: string): readonly KeptAttempt[];
  /** What one TCP flow carries over this round-trip time. */
  flow(roundTripMs: number): Promise<FlowOutcome>;
}

export type FlowOutcome =
  | { readonly kind: "done"; readonly bitsPerSecond: number }
  | Exclude<CellOutcome, { kind: "done" }>;

const INTERRUPTED = { kind: "interrupted", summary: null } as const;

export class CarriedOut implements Results {
  readonly #cells: string;
  readonly #setting: Setting;
  readonly #progress: Progress;
  readonly #signal: AbortSignal;
  readonly #runner: CellRunner;
  /** Figures share runs: what one has done the other need not do. */
  readonly #done = new Map<string, CellOutcome>();

  constructor(
    folder: string,
    setting: Setting,
    asked: { readonly plans: readonly PlannedCell[]; readonly network: boolean },
    quiet: boolean,
    signal: AbortSignal,
    watching: Watching | null = null,
  ) {
    this.#cells = join(folder, "cells");
    this.#setting = setting;
    this.#signal = signal;
    const flows = asked.network && setting.runtime !== "sim" ? ROUND_TRIPS_MS : [];
    const texts = asked.plans.map(({ plan }) => printPlan(plan));
    const trials = asked.plans.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
    const expected = [
      ...flows.map((roundTrip) => (keptFlow(this.#cells, roundTrip, setting) === null ? FLOW_SECONDS : 0)),
      ...trials.map(({ folder: own, plan }) => expectedSeconds(join(this.#cells, own), plan)),
    ];
    this.#progress = new Progress(expected, quiet);
    this.#runner = new CellRunner(this.#progress, signal, writeSummary, watching);
  }

  async trial(what: string, cell: string, plan: ServicePlan): Promise<CellOutcome> {
    if (this.#signal.aborted) return INTERRUPTED;
    const text = printPlan(plan);
    const before = this.#done.get(text);
    if (before !== undefined) return before;
    const outcome = await this.#runner.run(what, join(this.#cells, cell), plan);
    this.#done.set(text, outcome);
    return outcome;
  }

  attempts(cell: string): readonly KeptAttempt[] {
    return attemptsIn(join(this.#cells, cell));
  }

  async flow(roundTripMs: number): Promise<FlowOutcome> {
    if (this.#signal.aborted) return INTERRUPTED;
    const what = `figure 3: one TCP flow over ${roundTripMs} ms`;
    this.#progress.begin(what);
    const kept = keptFlow(this.#cells, roundTripMs, this.#setting);
    try {
      const bitsPerSecond = kept ?? (await this.#measureFlow(roundTripMs));
      this.#progress.finish(what);
      return { kind: "done", bitsPerSecond };
    } catch (error) {
      return { kind: "failed", reason: reasonOf(error) };
    }
  }

  end(): void {
    this.#progress.end();
  }

  async #measureFlow(roundTripMs: number): Promise<number> {
    const { runtime, quick } = this.#setting;
    const bitsPerSecond = await bandwidthAt(roundTripMs, runtime, quick);
    const file = flowFile(this.#cells, roundTripMs);
    mkdirSync(join(this.#cells, FIGURE_3.figure), { recursive: true });
    const flow: Flow = { ...conditionsOf(roundTripMs, this.#setting), bitsPerSecond };
    writeFileSync(file, `${JSON.stringify(flow, null, 1)}\n`);
    return bitsPerSecond;
  }
}

/** Nothing is run: what is missing was not reached. */
export class LeftBehind implements Results {
  readonly #cells: string;
  readonly #found = new Map<string, ServiceSummary>();

  constructor(folder: string) {
    this.#cells = join(folder, "cells");
  }

  async trial(_: string, cell: string, plan: ServicePlan): Promise<CellOutcome> {
    const text = printPlan(plan);
    const summary = this.#found.get(text) ?? summaryOf(join(this.#cells, cell), plan);
    if (summary === null) return INTERRUPTED;
    this.#found.set(text, summary);
    return { kind: summary.interrupted ? "interrupted" : "done", summary };
  }

  attempts(cell: string): readonly KeptAttempt[] {
    return attemptsIn(join(this.#cells, cell));
  }

  async flow(roundTripMs: number): Promise<FlowOutcome> {
    const flow = readFlow(this.#cells, roundTripMs);
    return flow === null ? INTERRUPTED : { kind: "done", bitsPerSecond: flow.bitsPerSecond };
  }
}

export interface PlannedCell {
  /** Below `cells`. */
  readonly folder: string;
  readonly plan: ServicePlan;
}

type FlowSetting = Pick<Setting, "runtime" | "quick">;

interface Flow extends FlowSetting {
  readonly roundTripMs: number;
  readonly sources: string;
  readonly bitsPerSecond: number;
}

/** What decides how much a flow carries, the code included. */
const conditionsOf = (roundTripMs: number, { runtime, quick }: FlowSetting): Omit<Flow, "bitsPerSecond"> => ({
  roundTripMs,
  runtime,
  quick,
  sources: sourcesAsLoaded(null),
});

/** Measured under the same conditions. */
export function keptFlow(cells: string, roundTripMs: number, setting: FlowSetting): number | null {
  const flow = readFlow(cells, roundTripMs);
  if (flow === null) return null;
  const wanted = { ...conditionsOf(roundTripMs, setting), bitsPerSecond: flow.bitsPerSecond };
  return isDeepStrictEqual(flow, wanted) ? flow.bitsPerSecond : null;
}

const flowFile = (cells: string, roundTripMs: number): string =>
  join(cells, FIGURE_3.figure, `${roundTripMs}ms.json`);

function readFlow(cells: string, roundTripMs: number): Flow | null {
  const file = flowFile(cells, roundTripMs);
  if (!existsSync(file)) return null;
  const flow = JSON.parse(readFileSync(file, "utf8")) as Partial<Flow> | null;
  return flow?.bitsPerSecond === undefined ? null : (flow as Flow);
}

/** All that is kept of a run that counts. */
export function writeSummary(folder: string, recording: ServiceRecording): ServiceSummary {
  // There will not be another of its kind; of whole runs the raw data would take gigabytes.
  if (recording.interrupted) writeRecording(folder, recording);
  const { summary } = conclude(recording);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "summary.json"), `${JSON.stringify(summary, null, 1)}\n`);
  return summary;
}

/** For the network, and the longest of flows. */
const FLOW_SECONDS = 15;
