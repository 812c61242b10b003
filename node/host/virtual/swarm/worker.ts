/** One thread that lives through worlds: a seed and a mutant in, an outcome out. */

import { parentPort } from "node:worker_threads";
import type { Mutant } from "../../../core/mutant.ts";
import { liveThrough } from "./run.ts";

parentPort?.on("message", ({ seed, mutant }: { seed: number; mutant: Mutant | null }) => {
  parentPort?.postMessage(liveThrough(seed, mutant));
});
