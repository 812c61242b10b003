/** Many questions, each answered by one of some threads, reported in the order in which they were asked. */

import { Worker } from "node:worker_threads";

/** What a worker answers to each that is wanted. */
export async function* inThreads<Answer>(
  worker: URL,
  wanted: Iterable<unknown>,
  threads: number,
): AsyncGenerator<Answer> {
  await using pool = new Pool<Answer>(worker, threads);
  const coming: Promise<Answer>[] = [];
  for (const one of wanted) {
    coming.push(pool.run(one));
    // A few ahead of the oldest keep every thread busy, without running far past a failure.
    if (coming.length > 2 * pool.size) yield (await coming.shift()) as Answer;
  }
  for (const answer of coming) yield await answer;
}

interface Job<Answer> {
  readonly wanted: unknown;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

class Pool<Answer> {
  readonly size: number;
  readonly #workers: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #jobs: Job<Answer>[] = [];

  constructor(script: URL, size: number) {
    this.size = size;
    for (let count = 0; count < this.size; count++) {
      const worker = new Worker(script);
      this.#workers.push(worker);
      this.#idle.push(worker);
    }
  }

  run(wanted: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ wanted, resolve, reject });
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
    const finished = (answer: Answer): void => end(() => job.resolve(answer));
    const failed = (error: Error): void => end(() => job.reject(error));
    worker.on("message", finished).on("error", failed);
    worker.postMessage(job.wanted);
  }
}
