/**
 * A bell that rings within some 100 microseconds. Node's own timers come up to a millisecond late; a thread
 * that sleeps in `Atomics.wait` wakes at once, and costs no processor until then.
 */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Instant } from "../core/time.ts";
import type { Bell } from "./tcp/timers.ts";
import { type AlarmMemory, alarmMemory, NEVER } from "./alarm-memory.ts";

export class Alarm implements Bell {
  readonly #memory: AlarmMemory;
  readonly #thread: Worker;

  private constructor(memory: AlarmMemory, thread: Worker) {
    this.#memory = memory;
    this.#thread = thread;
  }

  /** `ring` may be called once more for an instant that was replaced meanwhile. */
  static async open(ring: () => unknown): Promise<Alarm> {
    const memory = alarmMemory();
    const thread = new Worker(new URL("./alarm-thread.ts", import.meta.url), { workerData: memory });
    // Its first word says that it listens.
    await once(thread, "message");
    thread.on("message", ring);
    return new Alarm(memory, thread);
  }

  /** In microseconds of the monotonic clock. */
  set(due: Instant): void {
    this.#write(BigInt(due));
  }

  clear(): void {
    this.#write(NEVER);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #write(due: bigint): void {
    Atomics.store(this.#memory.due, 0, due);
    Atomics.add(this.#memory.changes, 0, 1);
    Atomics.notify(this.#memory.changes, 0);
  }
}
