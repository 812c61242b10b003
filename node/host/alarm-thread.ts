/**
 * The thread of an `Alarm`: sleeps until it is to ring, or is told otherwise. Anywhere else it does nothing.
 */

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { monotonic } from "./monotonic.ts";
import { type AlarmMemory, NEVER } from "./alarm-memory.ts";

if (!isMainThread) ring(workerData as AlarmMemory);

function ring({ due, changes }: AlarmMemory): never {
  parentPort?.postMessage("ready");
  for (;;) {
    // Read before what it counts: a change in between does not let the thread sleep.
    const seen = Atomics.load(changes, 0);
    const at = Atomics.load(due, 0);
    const wait = at === NEVER ? Infinity : Number(at) - monotonic();
    if (wait > 0) Atomics.wait(changes, 0, seen, wait / 1e3);
    else {
      parentPort?.postMessage("due");
      Atomics.wait(changes, 0, seen);
    }
  }
}
