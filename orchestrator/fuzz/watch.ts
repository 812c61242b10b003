/**
 * Fuzzes a target in a thread of its own and watches it: the input under way stands in memory that both
 * share, so that it is known also when the thread never comes back from it.
 */

import { Worker } from "node:worker_threads";
import type { Tally } from "./fuzz.ts";
import { LONGEST } from "./mutation.ts";

export interface Assignment {
  /** Whose TARGETS, as the address of a file. */
  readonly module: string;
  readonly target: string;
  readonly seed: number;
  readonly ms: number;
  readonly inputs: number;
}

/** No busy machine makes an input take so long. */
const PATIENCE_MS = 60_000;
const HEAP_MB = 1024;

export function watched(assignment: Assignment, patienceMs = PATIENCE_MS): Promise<Tally> {
  const memory = new SharedArrayBuffer(UnderWay.SIZE);
  const underWay = new UnderWay(memory);
  underWay.set(null);
  const worker = new Worker(new URL("worker.ts", import.meta.url), {
    workerData: { ...assignment, memory },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return new Promise((resolve) => {
    let seen = underWay.count;
    let since = performance.now();
    const watch = setInterval(() => {
      if (underWay.count !== seen || underWay.input === null) {
        seen = underWay.count;
        since = performance.now();
      } else if (performance.now() - since > patienceMs) fail(`no end after ${patienceMs} ms`);
    }, patienceMs / 10);
    const end = (tally: Tally): void => {
      clearInterval(watch);
      resolve(tally);
      // Nothing hangs so that it could not be ended from outside.
      void worker.terminate();
    };
    const fail = (reason: string): void => {
      const nothing = { slowestMs: 0, grownBytes: 0, found: 0, reached: 0 };
      end({ inputs: underWay.count, ...nothing, failure: { reason, input: underWay.input } });
    };
    worker.on("message", end);
    worker.on("error", (error) =>
      fail(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    worker.on("exit", (code) => fail(`it ended its thread with ${code}`));
  });
}

/**
 * What is being fed just now.
 *
 *   memory => count:i32 length:i32 bytes        length is -1 between inputs
 */
export class UnderWay {
  static readonly SIZE = 8 + LONGEST;
  readonly #head: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.#head = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, 8);
  }

  set(input: Uint8Array | null): void {
    if (input === null) Atomics.store(this.#head, 1, -1);
    else {
      this.#bytes.set(input);
      Atomics.store(this.#head, 1, input.length);
      Atomics.add(this.#head, 0, 1);
    }
  }

  /** How many inputs were begun. */
  get count(): number {
    return Atomics.load(this.#head, 0);
  }

  get input(): Uint8Array | null {
    const length = Atomics.load(this.#head, 1);
    return length < 0 ? null : this.#bytes.slice(0, length);
  }
}
