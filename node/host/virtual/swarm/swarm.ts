/** Many worlds, as many at a time as there are cores, reported in the order in which they were asked for. */

import { availableParallelism } from "node:os";
import type { Mutant } from "../../../core/mutant.ts";
import type { ElectionName } from "../../../election/catalog.ts";
import { inThreads } from "../../../testing/swarm/threads.ts";
import type { Outcome } from "./run.ts";

/** The outcomes of these seeds in order; whoever stops listening stops the threads. */
export async function* outcomes(
  seeds: Iterable<number>,
  mutant: Mutant | null,
  election: ElectionName | null,
): AsyncGenerator<Outcome> {
  const wanted = function* (): Generator<unknown> {
    for (const seed of seeds) yield { seed, mutant, election };
  };
  yield* inThreads<Outcome>(new URL("./worker.ts", import.meta.url), wanted(), availableParallelism());
}
