/**
 * Carries out many plans unattended: what an earlier call finished is kept, what is no result is run once
 * more beside it, and what fails is told and holds up none of the others.
 */

import { join } from "node:path";
import type { ServiceRecording } from "../recording/recording.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import type { Cell } from "../plan/matrix.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { attemptsIn } from "../recording/attempts.ts";
import type { ComparedRun, OtherAttempt } from "../report/compared-run.ts";
import { runTrial } from "../runner/run.ts";
import { attempted, reasonOf } from "./attempted.ts";
import { keptSummary } from "./kept-summary.ts";
import type { Progress } from "./progress.ts";
import { commandLine } from "./command-line.ts";
import type { Watching } from "./watching.ts";

/** What came of many cells, and what was tried in vain at each. */
export interface CellsRun {
  readonly runs: readonly ComparedRun[];
  readonly attempts: readonly OtherAttempt[];
  /** A sentence each. */
  readonly failed: readonly string[];
}

export type CellOutcome =
  | { readonly kind: "done"; readonly summary: ServiceSummary }
  | { readonly kind: "failed"; readonly reason: string }
  /** Null: before anything was measured. */
  | { readonly kind: "interrupted"; readonly summary: ServiceSummary | null };

/** Machines are not always at rest; in virtual time nothing changes by itself. */
const ATTEMPTS = 2;

export class CellRunner {
  readonly #progress: Progress;
  readonly #signal: AbortSignal;
  readonly #write: (folder: string, recording: ServiceRecording) => ServiceSummary | Promise<ServiceSummary>;
  readonly #watching: Watching | null;
  #hasRun = false;

  /** `write` leaves in a cell's folder what is to be kept of it, `summary.json` at least. */
  constructor(
    progress: Progress,
    signal: AbortSignal,
    write: (folder: string, recording: ServiceRecording) => ServiceSummary | Promise<ServiceSummary>,
    watching: Watching | null = null,
  ) {
    this.#progress = progress;
    this.#signal = signal;
    this.#write = write;
    this.#watching = watching;
  }

  /**
   * One after the other, each in its folder below this one, until an interruption, or until `stop` says why
   * there should be no more.
   */
  async runAll(
    cells: readonly Cell[],
    folder: string,
    stop: (summary: ServiceSummary) => string | null = () => null,
  ): Promise<CellsRun> {
    const runs: ComparedRun[] = [];
    const attempts: OtherAttempt[] = [];
    const failed: string[] = [];
    for (const cell of cells) {
      if (this.#signal.aborted) break;
      const { id, arm, repetition } = cell;
      const own = cellFolder(cell);
      const outcome = await this.run(id, join(folder, own), cell.plan);
      attempts.push(...attemptsAt(folder, id, own));
      if (outcome.kind === "failed") failed.push(`failed: ${id}: ${outcome.reason}`);
      else if (outcome.summary !== null)
        runs.push({ id, folder: own, arm, repetition, summary: outcome.summary });
      const why = outcome.kind === "done" ? stop(outcome.summary) : null;
      if (why === null) continue;
      failed.push(`${id}: ${why}`);
      break;
    }
    return { runs, attempts, failed };
  }

  /** Rejects, for people, when this machine can run no cell at all. */
  async run(what: string, folder: string, plan: ServicePlan): Promise<CellOutcome> {
    this.#progress.begin(what);
    const kept = keptSummary(folder, plan);
    const outcome: CellOutcome =
      kept.kind === "kept"
        ? { kind: "done", summary: kept.summary }
        : await this.#attempt(what, folder, plan);
    const again = kept.kind === "other code" ? ", again because other code had made it" : "";
    const failed = outcome.kind === "failed" ? `: failed: ${outcome.reason}` : "";
    this.#progress.finish(what + again + failed);
    // A signal waits for the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return outcome;
  }

  async #attempt(what: string, folder: string, plan: ServicePlan): Promise<CellOutcome> {
    const attempts = plan.runtime === "sim" ? 1 : ATTEMPTS;
    let outcome: CellOutcome = { kind: "failed", reason: "it was not tried" };
    for (let attempt = 1; attempt <= attempts; attempt++) {
      outcome = await this.#once(attempt === 1 ? what : `${what}, once more`, folder, plan);
      const isResult = outcome.kind === "done" && outcome.summary.verdict.judgement === "valid";
      if (isResult || outcome.kind === "interrupted") break;
    }
    return outcome;
  }

  async #once(what: string, folder: string, plan: ServicePlan): Promise<CellOutcome> {
    try {
      return await attempted(folder, plan, async () => {
        const observer = this.#watching?.trial(plan, []) ?? null;
        const recording = await runTrial(plan, {
          command: commandLine(),
          signal: this.#signal,
          progress: (phase) => {
            this.#progress.begin(`${what}: ${phase}`);
            this.#watching?.phase(phase);
          },
          ...(observer !== null && { observer }),
          logs: join(folder, "logs"),
        });
        this.#hasRun = true;
        this.#progress.begin(`${what}: report`);
        const summary = await this.#write(folder, recording);
        this.#watching?.end(summary);
        return { kind: recording.interrupted ? "interrupted" : "done", summary };
      });
    } catch (error) {
      if (error instanceof Interrupted) return { kind: "interrupted", summary: null };
      // What keeps the first one from running would keep all the others.
      if (!this.#hasRun && error instanceof Error && "exitCode" in error) throw error;
      return { kind: "failed", reason: reasonOf(error) };
    }
  }
}

/** What was tried in vain at a run before. */
export const attemptsAt = (folder: string, id: string, own: string): readonly OtherAttempt[] =>
  attemptsIn(join(folder, own)).map(({ name, judgement, reason }) => ({
    id,
    name,
    folder: join(own, name),
    judgement,
    reason,
  }));

/** Seen from the folder of the comparison. */
export const cellFolder = ({ id }: Pick<Cell, "id">): string => join("cells", id.replaceAll(" ", "-"));
