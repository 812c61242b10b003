/** One thread that lives through worlds of servers: a seed and a mutant in, an outcome out. */

import { parentPort } from "node:worker_threads";
import type { Mutant } from "../../core/mutant.ts";
import { liveAmongServers } from "./run.ts";

export interface Wanted {
  readonly seed: number;
  readonly mutant: Mutant | null;
}

parentPort?.on("message", ({ seed, mutant }: Wanted) => {
  void liveAmongServers(seed, mutant).then((outcome) => parentPort?.postMessage(outcome));
});
