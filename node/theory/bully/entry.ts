/** Bully, as the catalog of lectures has it: the greatest is dead, and somebody notices. */

import { byInitiator } from "../cases.ts";
import type { Case, Lecture } from "../lecture.ts";
import { Bully, BULLY_SLIPS, type BullyMessage, type BullySlip } from "./bully.ts";

const shared = {
  source: "second lecture; Garcia-Molina 1982",
  intuition:
    "Who misses the coordinator asks all that are greater. Each of those says OK and asks in its turn; " +
    "who hears nothing is the greatest alive, and tells the rest.",
  medium: "complete network",
  timing: "bounded delays",
  most: 500,
  counted: ["Election", "OK", "Coordinator"],
  cases: byInitiator("rising", (n) => n - 1),
  example: { ids: [1, 2, 3, 4, 5], initiators: [1], seed: 0 },
  slips: BULLY_SLIPS,
  say: ({ kind, id }: BullyMessage) => `${kind} of ${id}`,
} as const satisfies Partial<Lecture<BullyMessage>>;

const castOf =
  (knowsDead: boolean) =>
  ({ ids, initiators, dead = [ids.length] }: Case, slip: string | null) =>
    bullyCast(ids.length, { initiators, dead, knowsDead, slip: slip as BullySlip | null });

const leader = (ids: readonly number[], dead: readonly number[] = [ids.length]): number =>
  Math.max(...ids.filter((id) => !dead.includes(id)));

export const bully: Lecture<BullyMessage> = {
  ...shared,
  title: "Bully, to the letter; the greatest is dead, and one of the others notices",
  leader,
  theory: {
    best: { label: "best, N - 1: the second greatest notices", of: (n) => n - 1 },
    mean: {
      label: "mean of (N - k)^2 + N - 2 over the lowest k that notices",
      of: (n) => (n * (2 * n - 1)) / 6 + n - 2,
    },
    worst: { label: "worst, N^2 - N - 1: the least notices", of: (n) => n * n - n - 1 },
    first: { label: "the greatest knows after 3 delays, or 2 when it noticed itself", of: () => 3 },
    bound: null,
    printed: [
      {
        label: "N(N - 1)/2, as printed for the worst case",
        of: (n) => (n * (n - 1)) / 2,
        wrong: "it is the Elections alone, without OK and Coordinator",
      },
      {
        label: "N - 2, as printed for the best case",
        of: (n) => n - 2,
        wrong: "the second greatest asks the dead one too, unless it is known to be dead",
      },
    ],
  },
  cast: castOf(false),
};

export const bullyKnown: Lecture<BullyMessage> = {
  ...shared,
  isVariant: true,
  title: "Bully, where all know who is dead: the greatest, and one of the others notices",
  leader,
  theory: {
    best: { label: "best, N - 2: the second greatest notices", of: (n) => n - 2 },
    mean: {
      label: "mean over the lowest that notices, (N - 2)N/3 + N - 2",
      of: (n) => ((n - 2) * n) / 3 + n - 2,
    },
    worst: { label: "worst, N(N - 2): the least notices", of: (n) => n * (n - 2) },
    first: { label: "the greatest knows after 1 delay, or at once when it noticed itself", of: () => 1 },
    bound: null,
    printed: [
      {
        label: "N(N - 1)/2, as printed for the worst case",
        of: (n) => (n * (n - 1)) / 2,
        wrong: "it is the Elections alone, and those to the dead one too",
      },
      { label: "N - 2 for the best case", of: (n) => n - 2, wrong: null },
    ],
  },
  cast: castOf(true),
};

export interface BullyCase {
  /** Places. */
  readonly initiators: readonly number[];
  /** Ids that are dead from the beginning. */
  readonly dead: readonly number[];
  /** Does everybody know who is dead? */
  readonly knowsDead: boolean;
  readonly again?: boolean;
  readonly slip?: BullySlip | null;
}

/** Ids 1 to `size`. */
export function bullyCast(
  size: number,
  { initiators, dead, knowsDead, again = false, slip = null }: BullyCase,
) {
  const ids = Array.from({ length: size }, (_, place) => place + 1);
  const known = new Set(knowsDead ? dead : []);
  return {
    ids,
    initiators,
    deaths: new Map(dead.map((id) => [id - 1, 0])),
    processes: ids.map((id) => new Bully(id, size, { known, again, slip })),
  };
}
