/**
 * Feeds a target for a while and counts. A target that throws, is slow or grows has failed, and the input
 * that did it is kept.
 *
 * Where coverage tells what ran, inputs are fed in batches, and a batch that reached something new is fed
 * again by halves until the inputs that did it are found: others are made of them from then on, so that one
 * right byte after the other is found instead of all of them at once.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Random } from "#node/core/random.ts";
import type { Coverage } from "./coverage.ts";
import { mutated } from "./mutation.ts";
import type { Target } from "./target.ts";

export interface Tally {
  inputs: number;
  /** Of a processor. */
  slowestMs: number;
  /** Of the heap, after a collection, from the first tenth of the time to the end. */
  grownBytes: number;
  /** Inputs that reached something new. */
  found: number;
  /** Characters of our sources that ran while it was fed; 0 without coverage. */
  reached: number;
  /** And the input that did it, where it was a single one. */
  failure: { readonly reason: string; readonly input: Uint8Array | null } | null;
}

export interface Fuzzing {
  readonly seed: number;
  readonly ms: number;
  readonly inputs: number;
  readonly coverage: Coverage | null;
  /** Called with every input before it is fed, and with null when it has been dealt with. */
  readonly underWay?: (input: Uint8Array | null) => void;
}

/** As long as one input may keep a processor busy, and as much as a target may keep of all its inputs. */
const HANG_MS = 1000;
const GROWTH_BYTES = 32 << 20;

/** A look costs as much as some hundred inputs: the less is found, the fewer looks. */
const BATCH = { least: 64, most: 4096 };

export async function fuzz(target: Target, fuzzing: Fuzzing): Promise<Tally> {
  const run = new Run(target, fuzzing);
  try {
    await run.go();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    run.tally.failure = { reason: error.reason, input: error.input };
  }
  return run.tally;
}

class Failure extends Error {
  readonly reason: string;
  readonly input: Uint8Array | null;

  constructor(reason: string, input: Uint8Array | null) {
    super(reason);
    this.reason = reason;
    this.input = input;
  }
}

class Run {
  readonly tally: Tally = { inputs: 0, slowestMs: 0, grownBytes: 0, found: 0, reached: 0, failure: null };
  readonly #target: Target;
  readonly #fuzzing: Fuzzing;
  readonly #random: Random;
  readonly #corpus: Uint8Array[];
  readonly #begin = performance.now();
  #heapBefore: number | null = null;
  /** What had run when nothing had been fed. */
  #loaded = 0;

  constructor(target: Target, fuzzing: Fuzzing) {
    this.#target = target;
    this.#fuzzing = fuzzing;
    this.#random = new Random(fuzzing.seed);
    this.#corpus = [...target.seeds];
  }

  async go(): Promise<void> {
    const { coverage } = this.#fuzzing;
    coverage?.learn(coverage.look());
    this.#loaded = coverage?.reached ?? 0;
    for (const seed of this.#target.seeds) await this.#feed(seed);
    coverage?.learn(coverage.look());
    for (let size = BATCH.least; !this.#isOver(1); ) {
      const found = await this.#batch(size);
      this.#corpus.push(...found);
      this.tally.found += found.length;
      if (coverage !== null) this.tally.reached = coverage.reached - this.#loaded;
      size = found.length > 0 ? BATCH.least : Math.min(2 * size, BATCH.most);
    }
    const grownBytes = heapAfterCollection() - (this.#heapBefore ?? 0);
    this.tally.grownBytes = grownBytes;
    if (grownBytes > GROWTH_BYTES) throw new Failure(`it keeps ${grownBytes} bytes of what it was fed`, null);
  }

  /** Which of so many new inputs reached something new. */
  async #batch(size: number): Promise<readonly Uint8Array[]> {
    const inputs: Uint8Array[] = [];
    while (inputs.length < size && !this.#isOver(1)) {
      const input = mutated(this.#corpus, this.#random);
      inputs.push(input);
      await this.#feed(input);
      this.tally.inputs += 1;
      if (this.#heapBefore === null && this.#isOver(0.1)) this.#heapBefore = heapAfterCollection();
    }
    return this.#fuzzing.coverage === null ? [] : this.#whichReached(inputs, this.#fuzzing.coverage);
  }

  /** The inputs have just been fed. */
  async #whichReached(inputs: readonly Uint8Array[], coverage: Coverage): Promise<readonly Uint8Array[]> {
    const look = coverage.look();
    if (!coverage.isNew(look)) return [];
    if (inputs.length <= 1) {
      coverage.learn(look);
      return inputs;
    }
    const found: Uint8Array[] = [];
    const middle = inputs.length >> 1;
    for (const half of [inputs.slice(0, middle), inputs.slice(middle)]) {
      for (const input of half) await this.#feed(input);
      found.push(...(await this.#whichReached(half, coverage)));
    }
    // What runs once in a life ran for nobody the second time.
    coverage.learn(look);
    return found;
  }

  async #feed(input: Uint8Array): Promise<void> {
    const { underWay } = this.#fuzzing;
    const before = processorMs();
    underWay?.(input);
    try {
      // Targets may change what they are fed.
      const fed = this.#target.feed(input.slice());
      if (fed !== undefined) await fed;
    } catch (error) {
      throw new Failure(error instanceof Error ? (error.stack ?? error.message) : String(error), input);
    }
    underWay?.(null);
    const tookMs = processorMs() - before;
    this.tally.slowestMs = Math.max(this.tally.slowestMs, tookMs);
    if (tookMs > HANG_MS) throw new Failure(`it took ${Math.round(tookMs)} ms of a processor`, input);
  }

  /** Whether such a part of the time, or of the inputs, is over. */
  #isOver(part: number): boolean {
    const { ms, inputs } = this.#fuzzing;
    return performance.now() - this.#begin > part * ms || this.tally.inputs >= part * inputs;
  }
}

/** Of this thread: on a busy machine the wall clock says more about the others. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
