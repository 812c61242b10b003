/** LCR, as the catalog of lectures has it, with what is true of its cost. */

import { falling, rising } from "../arrangement.ts";
import { byArrangement } from "../cases.ts";
import { type Lecture, ORDER_OF_RINGS, places } from "../lecture.ts";
import { Lcr, LCR_SLIPS, type LcrMessage, type LcrSlip } from "./lcr.ts";

const harmonic = (n: number): number =>
  Array.from({ length: n }, (_, at) => 1 / (n - at)).reduce((a, b) => a + b, 0);

export const lcr: Lecture<LcrMessage> = {
  title: "LeLann, Chang and Roberts",
  source: "first lecture; Chang, Roberts 1979, after Le Lann 1977",
  intuition:
    "Everybody sends its id round the ring. Whoever meets an id smaller than its own stops it, so " +
    "only the greatest comes home.",
  medium: "ring",
  timing: "asynchronous",
  most: 10_000,
  counted: ["token"],
  leader: (ids) => ids.reduce((a, b) => Math.max(a, b)),
  cases: byArrangement(0, (n) => [rising(n), falling(n)]),
  example: { ids: [3, 37, 19, 4, 25], initiators: places(5), seed: 0 },
  theory: {
    best: { label: "best, 2n - 1: ids rise along the way", of: (n) => 2 * n - 1 },
    mean: { label: "mean, n H(n)", of: (n) => n * harmonic(n) },
    worst: { label: "worst, n(n + 1)/2: ids fall along the way", of: (n) => (n * (n + 1)) / 2 },
    first: { label: "the first knows at n", of: (n) => n },
    bound: ORDER_OF_RINGS,
    printed: [
      {
        label:
          "n + (n - 1) + ... + 1 for decreasing order, which is so along the way; against it, it is the best",
        of: (n) => (n * (n + 1)) / 2,
        wrong: null,
      },
    ],
  },
  slips: LCR_SLIPS,
  cast: ({ ids, initiators }, slip) => ({
    ids,
    initiators,
    processes: ids.map((id) => new Lcr(id, slip as LcrSlip | null)),
  }),
  say: ({ kind, id }) => (kind === "token" ? `${id}` : `${id} is elected`),
};
