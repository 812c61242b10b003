/**
 * Cells carried out by processes, each of which takes the next one when it has done its last: so nobody waits
 * for anybody, and a row is there as soon as it is known.
 *
 * Processes and not threads, because what collects a thread's garbage is the whole process's: it would work
 * on the processors that other threads compute on.
 */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Cell } from "./cell.ts";
import type { Row } from "./row.ts";
import type { Said } from "./worker.ts";

export interface Sweep {
  readonly cells: Iterable<Cell> | AsyncIterable<Cell>;
  readonly workers: number;
  /** Nobody takes another cell then; what is under way is finished. */
  readonly signal: AbortSignal;
  readonly done: (row: Row) => void;
  /** A worker has ended, with the cell that it had. */
  readonly lost: (cell: Cell, reason: string) => void;
  /** What came of one cell twice, where it was run twice and that was not the same. */
  readonly differs?: (first: string, second: string) => void;
}

export async function carryOut({ cells, workers, signal, done, lost }: Sweep): Promise<void> {
  const left = Symbol.asyncIterator in cells ? cells[Symbol.asyncIterator]() : cells[Symbol.iterator]();
  const next = async (): Promise<Cell | null> => {
    const taken = signal.aborted ? null : await left.next();
    return taken === null || taken.done === true ? null : taken.value;
  };
  const work = async (): Promise<void> => {
    let worker: ChildProcess | null = null;
    for (let cell = await next(); cell !== null; cell = await next()) {
      worker ??= begin();
      const said = await ask(worker, cell);
      if ("row" in said) done(said.row);
      else {
        lost(cell, said.reason);
        worker.kill("SIGKILL");
        worker = null;
      }
    }
    worker?.disconnect();
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** It ends when it is let go, or when we do. Ctrl-C at the terminal is for us. */
const begin = (): ChildProcess =>
  fork(WORKER, {
    execArgv: [...WORDS],
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });

/** Or why there is no row. */
function ask(worker: ChildProcess, cell: Cell): Promise<Said> {
  return new Promise((resolve) => {
    const end = (said: Said): void => {
      worker.off("message", told).off("error", failed).off("exit", ended);
      resolve(said);
    };
    const told = (said: unknown): void => end(said as Said);
    const failed = (error: Error): void => end({ reason: error.message });
    const ended = (code: number | null, by: string | null): void =>
      end({ reason: `the worker ended with ${by ?? code}` });
    worker.on("message", told).on("error", failed).on("exit", ended);
    worker.send(cell, (error) => error !== null && failed(error));
  });
}

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
/** For V8: a worker keeps to one processor, and to what a trial needs several times over, in megabytes. */
const WORDS = ["--single-threaded-gc", "--max-semi-space-size=32", "--max-old-space-size=512"];
