/**
 * Tells when requests are due, on time. Node's own timers come up to a millisecond late, which is a tenth of
 * the latency to be measured; a thread that sleeps in `Atomics.wait` wakes within some 60 microseconds.
 */

import { Worker } from "node:worker_threads";

export class Alarm {
  readonly #thread: Worker;

  /** `due` is told how many of the instants have come, in microseconds of the machine's monotonic clock. */
  constructor(instants: Float64Array, due: (count: number) => void) {
    this.#thread = new Worker(new URL("./client-alarm-thread.ts", import.meta.url), { workerData: instants });
    this.#thread.on("message", due);
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
