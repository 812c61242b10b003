/** Many worlds, as many at a time as there are cores, reported in the order of their seeds. */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Mutant } from "../../../core/mutant.ts";
import type { ElectionName } from "../../../election/catalog.ts";
import type { Outcome } from "./run.ts";

/** The outcomes of these seeds in order; whoever stops listening stops the threads. */
export async function* outcomes(
  seeds: Iterable<number>,
  mutant: Mutant | null,
  election: ElectionName | null,
): AsyncGenerator<Outcome> {
  await using pool = new Pool(mutant, election);
  const coming: Promise<Outcome>[] = [];
  for (const seed of seeds) {
    coming.push(pool.run(seed));
    // A few ahead of the oldest keep every thread busy, without running far past a failure.
    if (coming.length > 2 * pool.size) yield (await coming.shift()) as Outcome;
  }
  for (const outcome of coming) yield await outcome;
}

interface Job {
  readonly seed: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

class Pool {
  readonly size = availableParallelism();
  readonly #mutant: Mutant | null;
  readonly #election: ElectionName | null;
  readonly #workers: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #jobs: Job[] = [];

  constructor(mutant: Mutant | null, election: ElectionName | null) {
    this.#mutant = mutant;
    this.#election = election;
    for (let count = 0; count < this.size; count++) {
      const worker = new Worker(new URL("./worker.ts", import.meta.url));
      this.#workers.push(worker);
      this.#idle.push(worker);
    }
  }

  run(seed: number): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ seed, resolve, reject });
      this.#dispatch();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #dispatch(): void {
    const worker = this.#idle.pop();
    const job = worker && this.#jobs.shift();
    if (worker === undefined || job === undefined) {
      if (worker !== undefined) this.#idle.push(worker);
      return;
    }
    const end = (settle: () => void): void => {
      worker.off("message", finished).off("error", failed);
      this.#idle.push(worker);
      settle();
      this.#dispatch();
    };
    const finished = (outcome: Outcome): void => end(() => job.resolve(outcome));
    const failed = (error: Error): void => end(() => job.reject(error));
    worker.on("message", finished).on("error", failed);
    worker.postMessage({ seed: job.seed, mutant: this.#mutant, election: this.#election });
  }
}
