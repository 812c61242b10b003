/**
 * Feeds targets for a while and counts. A target that throws, hangs or grows has failed, and the input that
 * did it is kept.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Random } from "#node/core/random.ts";
import { mutated } from "./mutation.ts";
import { type TargetName, TARGETS } from "./target.ts";

export interface Tally {
  inputs: number;
  slowestMs: number;
  /** Of the heap, after a collection, from the first tenth of the time to the end. */
  grownBytes: number;
  failure: { readonly reason: string; readonly input: Uint8Array } | null;
}

/** As long as one input may take, and as much as a target may keep of all its inputs. */
export const HANG_MS = 1000;
export const GROWTH_BYTES = 32 << 20;

export async function fuzz(
  name: TargetName,
  seed: number,
  budget: { readonly ms: number; readonly inputs: number },
) {
  const target = await TARGETS[name]();
  const random = new Random(seed);
  const tally: Tally = { inputs: 0, slowestMs: 0, grownBytes: 0, failure: null };
  const begin = performance.now();
  let before: number | null = null;
  for (let last = begin; tally.inputs < budget.inputs && last - begin < budget.ms; ) {
    const input = mutated(target.seeds, random);
    try {
      const fed = target.feed(input);
      if (fed !== undefined) await fed;
    } catch (error) {
      tally.failure = {
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
        input,
      };
      return tally;
    }
    tally.inputs += 1;
    const now = performance.now();
    tally.slowestMs = Math.max(tally.slowestMs, now - last);
    last = now;
    // On a busy machine the wall clock alone proves nothing: asked again, it must be slow again.
    if (tally.slowestMs > HANG_MS) {
      await target.feed(input);
      const againMs = performance.now() - now;
      if (againMs > HANG_MS) {
        tally.failure = { reason: `${name} took ${Math.round(againMs)} ms, twice`, input };
        return tally;
      }
      tally.slowestMs = againMs;
      last = performance.now();
    }
    if (before === null && (now - begin > budget.ms / 10 || tally.inputs > budget.inputs / 10)) {
      before = heapAfterCollection();
      last = performance.now();
    }
  }
  tally.grownBytes = heapAfterCollection() - (before ?? 0);
  return tally;
}

/**
 * Of the time, for each target, so that all take equally many inputs. A failure at once is as fast as it
 * gets.
 */
export function shares(speeds: readonly number[]): readonly number[] {
  const costs = speeds.map((inputsPerMs) => 1 / Math.max(inputsPerMs, SLOWEST));
  const whole = costs.reduce((sum, cost) => sum + cost, 0);
  return costs.map((cost) => cost / whole);
}

/** Inputs a millisecond; a target that took none in its trial must not get all the time. */
const SLOWEST = 0.1;

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
