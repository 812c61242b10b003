/**
 * Calls back every so often, and means it. Node's own timers come up to a millisecond late, which is twice
 * the latency to be measured; a thread that sleeps in `Atomics.wait` wakes within some 60 microseconds.
 */

import { Worker } from "node:worker_threads";

export class Metronome {
  readonly #thread: Worker;

  /** `beat` is told when it should have been called, in microseconds of the monotonic clock. */
  constructor(periodMs: number, beat: (due: number) => void) {
    this.#thread = new Worker(new URL("./metronome-thread.ts", import.meta.url), { workerData: periodMs });
    this.#thread.on("message", beat);
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
