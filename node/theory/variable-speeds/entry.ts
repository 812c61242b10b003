/**
 * Variable speeds, as the catalog of lectures has it. Ids are 0 to n - 1, because a hop takes 2 to the id
 * rounds.
 */

import { rising } from "../arrangement.ts";
import { byArrangement } from "../cases.ts";
import type { Lecture } from "../lecture.ts";
import {
  type SpeedMessage,
  VariableSpeeds,
  VARIABLE_SPEEDS_SLIPS,
  type VariableSpeedsSlip,
} from "./variable-speeds.ts";

export const variableSpeeds: Lecture<SpeedMessage> = {
  title: "Variable speeds, in rounds",
  source: 'behind the first lecture\'s "Theta(n) under certain conditions"; Frederickson, Lynch 1987',
  intuition:
    "All ids go round, the least one fastest: id v waits 2^v rounds for each hop. Whoever has seen a " +
    "less one stops what is slower, so nobody need know how long the ring is.",
  medium: "ring",
  timing: "rounds",
  most: 2000,
  counted: ["token"],
  leader: (ids) => ids.reduce((a, b) => Math.min(a, b)),
  cases: byArrangement(1, (n) => [rising(n), rising(n).toReversed()]),
  example: { ids: [3, 0, 2, 1, 4], initiators: [], seed: 0 },
  theory: {
    best: { label: "n at least", of: (n) => n },
    mean: null,
    worst: { label: "less than 2n", of: (n) => 2 * n - 1 },
    first: { label: "the first knows at n 2^v, for the least id v = 0", of: (n) => n },
    bound: null,
    printed: [],
  },
  slips: VARIABLE_SPEEDS_SLIPS,
  cast: ({ ids }, slip) => ({
    ids,
    initiators: [],
    rounds: true,
    processes: ids.map((id) => new VariableSpeeds(id, slip as VariableSpeedsSlip | null)),
  }),
  say: ({ kind, id }) => (kind === "token" ? `${id}` : `${id} is elected`),
};
