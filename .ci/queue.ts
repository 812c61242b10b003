// In which order jobs run, and which of them at once. First, as many as there are processors, what computes,
// and beside it as many that wait; where no more of these are left, others that compute take their places,
// because many of them wait at times. Then who needs quiet, then one by one who needs the machine alone. In
// each lane the longest first.
import type { Lane, Need } from "./lane.ts";

export interface Job<T> extends Need {
  readonly run: () => Promise<T>;
}

/** Who of these lanes waits or runs keeps those of later turns from beginning. */
const TURNS: readonly (readonly Lane[])[] = [["works", "waits"], ["quiet"], ["alone"]];
/** How many jobs of a lane run at once. */
const placesOf = (lane: Lane, processors: number): number => (lane === "alone" ? 1 : processors);

/** Which of those that wait for their turn may begin beside those that run. */
export function startable<N extends Need>(
  waiting: readonly N[],
  running: readonly Need[],
  processors: number,
): N[] {
  const turn = TURNS.find((lanes) => waiting.some(({ lane }) => lanes.includes(lane))) ?? [];
  if (running.some(({ lane }) => !turn.includes(lane))) return [];
  let left = 0;
  return turn.toReversed().flatMap((lane) => {
    const free = left + placesOf(lane, processors) - running.filter((job) => job.lane === lane).length;
    const begin = longestFirst(waiting.filter((job) => job.lane === lane)).slice(0, Math.max(0, free));
    left = Math.max(0, free - begin.length);
    return begin;
  });
}

const longestFirst = <N extends Need>(jobs: readonly N[]): N[] =>
  jobs.toSorted((one, other) => other.seconds - one.seconds);

/** Runs all, and gives what came of them in the order in which they ended; none begins after the signal. */
export async function runAll<T>(
  jobs: readonly Job<T>[],
  processors: number,
  signal?: AbortSignal,
): Promise<T[]> {
  const waiting = new Set(jobs);
  const running = new Map<Job<T>, Promise<Job<T>>>();
  const ended: T[] = [];
  while (waiting.size + running.size > 0) {
    if (signal?.aborted === true) waiting.clear();
    for (const job of startable([...waiting], [...running.keys()], processors)) {
      waiting.delete(job);
      running.set(
        job,
        job.run().then((outcome) => {
          ended.push(outcome);
          return job;
        }),
      );
    }
    if (running.size > 0) running.delete(await Promise.race(running.values()));
  }
  return ended;
}
