/**
 * Time slice, as the catalog of lectures has it. Ids are 0 to n - 1, because a slice is a round of the least
 * id.
 */

import { rising } from "../arrangement.ts";
import { byArrangement } from "../cases.ts";
import type { Lecture } from "../lecture.ts";
import { TimeSlice, TIME_SLICE_SLIPS, type TimeSliceSlip, type TokenMessage } from "./time-slice.ts";

export const timeSlice: Lecture<TokenMessage> = {
  title: "Time slice, in rounds",
  source: 'behind the first lecture\'s "Theta(n) under certain conditions"; Lynch 1996',
  intuition:
    "Every id has a time of its own, n rounds long, and speaks only if nobody has before. So silence " +
    "says something, and the least id is the only one ever said.",
  medium: "ring",
  timing: "rounds",
  most: 2000,
  counted: ["token"],
  leader: (ids) => ids.reduce((a, b) => Math.min(a, b)),
  cases: byArrangement(1, (n) => [rising(n)]),
  example: { ids: [4, 2, 5, 1, 3], initiators: [], seed: 0 },
  theory: {
    best: { label: "n, always", of: (n) => n },
    mean: { label: "n, always", of: (n) => n },
    worst: { label: "n, always", of: (n) => n },
    first: { label: "the first knows at n(v + 1), for the least id v = 0", of: (n) => n },
    bound: null,
    printed: [],
  },
  slips: TIME_SLICE_SLIPS,
  cast: ({ ids }, slip) => ({
    ids,
    initiators: [],
    rounds: true,
    processes: ids.map((id) => new TimeSlice(id, ids.length, slip as TimeSliceSlip | null)),
  }),
  say: ({ id }) => `${id}`,
};
