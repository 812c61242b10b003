/** The thread of a `Metronome`: sleeps and tells, until it is terminated. */

import { parentPort, workerData } from "node:worker_threads";
import { monotonic } from "./clock.ts";

const period = (workerData as number) * 1e3;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

for (let due = monotonic() + period; ; due += period) {
  Atomics.wait(nobodyWakes, 0, 0, Math.max(0, due - monotonic()) / 1e3);
  parentPort?.postMessage(due);
}
