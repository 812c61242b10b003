/** The thread of an `Alarm`: sleeps until the next request is due, and tells how many are. */

import { parentPort, workerData } from "node:worker_threads";
import { monotonic } from "./load/clock.ts";

const dues = workerData as Float64Array;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

for (let count = 0; count < dues.length; ) {
  const wait = (dues[count] as number) - monotonic();
  if (wait > 0) Atomics.wait(nobodyWakes, 0, 0, wait / 1e3);
  const now = monotonic();
  const before = count;
  while (count < dues.length && (dues[count] as number) <= now) count += 1;
  if (count > before) parentPort?.postMessage(count);
}
