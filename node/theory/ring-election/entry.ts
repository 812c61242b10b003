/** The ring election with one initiator, as the catalog of lectures has it, with what is true of its cost. */

import { byInitiator } from "../cases.ts";
import { type Lecture, ORDER_OF_RINGS } from "../lecture.ts";
import {
  RingElection,
  type RingElectionMessage,
  type RingElectionRule,
  RING_ELECTION_SLIPS,
  type RingElectionSlip,
} from "./ring-election.ts";

export const ringElection: Lecture<RingElectionMessage> = {
  title: "Ring election with initiators",
  source: "second lecture",
  intuition:
    "Whoever misses the coordinator sends an Election with its id round the ring; everybody replaces " +
    "a smaller id by its own. Whose id comes back says Elected. Nothing happens at once, so messages " +
    "are also time.",
  medium: "ring",
  timing: "asynchronous",
  most: 10_000,
  counted: ["Election", "Elected"],
  leader: (ids) => ids.reduce((a, b) => Math.max(a, b)),
  cases: byInitiator("rising", (n) => n),
  example: { ids: [12, 3, 32, 5, 80, 6], initiators: [1, 5], seed: 0 },
  theory: {
    best: { label: "best, 2N: the greatest begins", of: (n) => 2 * n },
    mean: { label: "mean, (5N - 1)/2", of: (n) => (5 * n - 1) / 2 },
    worst: { label: "worst, 3N - 1: its successor begins", of: (n) => 3 * n - 1 },
    first: { label: "the first knows at 2N - 1 at the latest", of: (n) => 2 * n - 1 },
    bound: ORDER_OF_RINGS,
    printed: [{ label: "3N - 1, as printed for the worst case", of: (n) => 3 * n - 1, wrong: null }],
  },
  slips: RING_ELECTION_SLIPS,
  cast: ({ ids, initiators }, slip) => ringCast(ids, initiators, "cache", slip as RingElectionSlip | null),
  say: ({ kind, id, initiator }) => `${kind} ${id}, begun by ${initiator}`,
};

/** The classic rule for several initiators; alone, one costs the same under both. */
export const ringFlag: Lecture<RingElectionMessage> = {
  ...ringElection,
  isVariant: true,
  title: "Ring election with initiators, by the flag rule",
  cast: ({ ids, initiators }, slip) => ringCast(ids, initiators, "flag", slip as RingElectionSlip | null),
  say: ({ kind, id }) => `${kind} ${id}`,
};

export const ringCast = (
  ids: readonly number[],
  initiators: readonly number[],
  rule: RingElectionRule,
  slip: RingElectionSlip | null = null,
) => ({ ids, initiators, processes: ids.map((id) => new RingElection(id, rule, slip)) });
