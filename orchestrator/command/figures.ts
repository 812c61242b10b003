/**
 * Figure by figure, what became of the paper's claims: the trials, those that do not count, and the checks.
 */

import { join } from "node:path";
import type { Experiment, ExperimentRun, Setting } from "../experiments/experiment.ts";
import { FIGURE_3, figure3, ROUND_TRIPS_MS } from "../experiments/figure-3.ts";
import type { Provenance } from "../recording/provenance.ts";
import { expectationsAcross } from "../report/across-runs.ts";
import type { PaperFigure } from "../report/paper-report.ts";
import { reasonAgainst } from "../measure/reason-against.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import type { Results } from "./results.ts";

export class Figures {
  readonly figures: PaperFigure[] = [];
  readonly #setting: Setting;
  readonly #results: Results;
  readonly #conditions: string;
  readonly #summaries = new Set<ServiceSummary>();

  constructor(setting: Setting, results: Results) {
    const { runtime, quick } = setting;
    this.#setting = setting;
    this.#results = results;
    this.#conditions = `${runtime === "sim" ? "virtual time" : runtime}${quick ? ", short phases" : ""}`;
  }

  /** How each run was made. */
  get environments(): readonly Provenance[] {
    return [...this.#summaries].map(({ environment }) => environment);
  }

  async add(experiment: Experiment): Promise<void> {
    this.figures.push(await this.#figure(experiment));
  }

  /** Figure 3, which is of the network alone. */
  async network(): Promise<void> {
    this.figures.push(await this.#network());
  }

  async #figure(experiment: Experiment): Promise<PaperFigure> {
    const { figure, section, claim } = experiment;
    const runs: ExperimentRun[] = [];
    const discarded: string[] = [];
    const superseded: string[] = [];
    const omitted = experiment.omits?.(this.#setting) ?? [];
    const about = { figure, section, claim, omitted, discarded, superseded };
    const none = { ...about, runs: 0, figures: [], comparison: [], checks: [], expectations: [] };
    const cells = experiment.cells(this.#setting);
    for (const cell of cells) {
      const what = `figure ${figure}: ${cell.id}`;
      const outcome = await this.#results.trial(what, join(figure, cell.id), cell.plan);
      if (outcome.kind !== "failed" && outcome.summary !== null) this.#summaries.add(outcome.summary);
      const earlier = this.#results.attempts(join(figure, cell.id));
      // Of a cell that failed, the last attempt is the failure.
      for (const { name, reason } of outcome.kind === "failed" ? earlier.slice(0, -1) : earlier)
        superseded.push(`${cell.id}, ${name}: ${reason}`);
      if (outcome.kind === "interrupted") {
        return { ...none, notRun: `interrupted with ${runs.length} of ${cells.length} runs done` };
      }
      const wrong = outcome.kind === "failed" ? outcome.reason : reasonAgainst(outcome.summary);
      if (outcome.kind === "done" && wrong === "") runs.push({ ...cell, summary: outcome.summary });
      else discarded.push(`${cell.id}: ${wrong}`);
    }
    if (runs.length === 0) {
      return { ...none, notRun: `no run is a result: ${discarded[0] ?? "none was made"}` };
    }
    const result = experiment.result(runs, this.#conditions);
    const expectations = expectationsAcross(runs);
    return { ...about, runs: runs.length, notRun: null, ...result, expectations };
  }

  async #network(): Promise<PaperFigure> {
    const empty = {
      omitted: [],
      discarded: [],
      superseded: [],
      figures: [],
      comparison: [],
      checks: [],
      expectations: [],
    };
    const none = { ...FIGURE_3, ...empty, runs: 0 };
    if (this.#setting.runtime === "sim") {
      return { ...none, notRun: "virtual time has no kernel whose TCP could be measured" };
    }
    const measured: number[] = [];
    for (const roundTrip of ROUND_TRIPS_MS) {
      const outcome = await this.#results.flow(roundTrip);
      if (outcome.kind === "interrupted") return { ...none, notRun: "interrupted" };
      if (outcome.kind === "failed") return { ...none, notRun: outcome.reason };
      measured.push(outcome.bitsPerSecond);
    }
    const result = figure3(measured, this.#conditions);
    return { ...none, runs: measured.length, notRun: null, ...result };
  }
}
