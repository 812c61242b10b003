/**
 * Cells carried out by threads, each of which takes the next one when it has done its last: so nobody waits
 * for anybody, and a row is there as soon as it is known.
 */

import { Worker } from "node:worker_threads";
import type { Cell } from "./cell.ts";
import type { Row } from "./row.ts";

export interface Sweep {
  readonly cells: Iterable<Cell>;
  readonly threads: number;
  /** Nobody takes another cell then; what is under way is finished. */
  readonly signal: AbortSignal;
  readonly done: (row: Row) => void;
  /** A thread has ended, with the cell that it had. */
  readonly lost: (cell: Cell, reason: string) => void;
}

export async function carryOut({ cells, threads, signal, done, lost }: Sweep): Promise<void> {
  const left = cells[Symbol.iterator]();
  const next = (): Cell | null => {
    const taken = signal.aborted ? null : left.next();
    return taken === null || taken.done === true ? null : taken.value;
  };
  const work = async (): Promise<void> => {
    let thread: Worker | null = null;
    for (let cell = next(); cell !== null; cell = next()) {
      thread ??= new Worker(new URL("worker.ts", import.meta.url), { resourceLimits: MEMORY });
      const answer: Row | string = await ask(thread, cell);
      if (typeof answer !== "string") done(answer);
      else {
        lost(cell, answer);
        thread = null;
      }
    }
    await thread?.terminate();
  };
  await Promise.all(Array.from({ length: threads }, work));
}

/** Or why there is no row. */
function ask(thread: Worker, cell: Cell): Promise<Row | string> {
  return new Promise((resolve) => {
    let reason = "the thread ended";
    const end = (answer: Row | string): void => {
      thread.off("message", end).off("error", failed).off("exit", ended);
      resolve(answer);
    };
    const failed = (error: Error): void => {
      reason = error.message;
    };
    const ended = (): void => end(reason);
    thread.on("message", end).on("error", failed).on("exit", ended);
    thread.postMessage(cell);
  });
}

/** Of a thread, in megabytes: what a trial needs several times over. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 96 };
