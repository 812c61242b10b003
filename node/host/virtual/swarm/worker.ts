/** One thread that lives through worlds: a seed, a mutant and an election in, an outcome out. */

import { parentPort } from "node:worker_threads";
import type { Mutant } from "../../../core/mutant.ts";
import type { ElectionName } from "../../../election/catalog.ts";
import { liveThrough } from "./run.ts";

interface Wanted {
  readonly seed: number;
  readonly mutant: Mutant | null;
  readonly election: ElectionName | null;
}

parentPort?.on("message", ({ seed, mutant, election }: Wanted) => {
  parentPort?.postMessage(liveThrough(seed, mutant, election));
});
