/** Hirschberg-Sinclair, as the catalog of lectures has it, with what is true of its cost. */

import { bitReversed, rising } from "../arrangement.ts";
import { byArrangement } from "../cases.ts";
import { type Lecture, ORDER_OF_RINGS, places } from "../lecture.ts";
import { Hs, HS_SLIPS, type HsMessage, type HsSlip } from "./hs.ts";

/** The last phase. */
const lastOf = (n: number): number => Math.ceil(Math.log2(n));

const phases = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Every phase but the last: who still stands, and how far its probes and replies go, on the average. */
function mean(n: number): number {
  const ofPhase = (k: number): number => {
    const reached = k === 0 ? 0 : 2 ** (k - 1);
    const hop = (j: number): number => 1 / Math.min(n, 1 + reached + Math.max(reached, j - 1));
    const there = sum(phases(1, 2 ** k).map(hop));
    return 2 * n * (there + 2 ** k / Math.min(n, 1 + reached + 2 ** k));
  };
  return 2 * n + sum(phases(0, lastOf(n) - 1).map(ofPhase));
}

const most = (n: number): number =>
  5 * n + sum(phases(1, lastOf(n) - 1).map((k) => 4 * 2 ** k * Math.floor(n / (2 ** (k - 1) + 1))));

function printed(n: number): number {
  const last = Math.ceil(Math.log2(n - 1)) + 1;
  return 4 * n + sum(phases(1, last).map((k) => (4 * 2 ** k * n) / (2 ** (k - 1) + 1)));
}

export const hs: Lecture<HsMessage> = {
  title: "Hirschberg and Sinclair",
  source: "first lecture; Hirschberg, Sinclair 1980",
  intuition:
    "Everybody asks its neighbours on both sides whether anyone is greater, then twice as many, and " +
    "so on. Who meets a greater one stops asking, so few ask far.",
  medium: "ring",
  timing: "asynchronous",
  most: 100_000,
  counted: ["probe", "reply"],
  leader: (ids) => ids.reduce((a, b) => Math.max(a, b)),
  cases: byArrangement(0, (n) => [rising(n), ...(bitReversed(n) === null ? [] : [bitReversed(n) ?? []])]),
  example: { ids: [3, 37, 19, 4, 25], initiators: places(5), seed: 0 },
  theory: {
    best: { label: "best, 5n + 4(2^K - 2): one local maximum", of: (n) => 5 * n + 4 * (2 ** lastOf(n) - 2) },
    mean: { label: "mean, exactly", of: mean },
    worst: { label: "never more than 5n + sum of 4 2^k floor(n/(2^(k-1) + 1)), k < K", of: most },
    first: { label: "the first knows at 2(2^K - 1) + n", of: (n) => 2 * (2 ** lastOf(n) - 1) + n },
    bound: ORDER_OF_RINGS,
    printed: [
      {
        label: "4n + sum of 4 2^k n/(2^(k-1) + 1) up to k = ceil(log2(n - 1)) + 1, as printed",
        of: printed,
        wrong:
          "phase 0 costs 3n, not 4n; the last phase is K = ceil(log2 n), costs 2n, and is ceil(log2(n " +
          "- 1)) + 1 only for n = 2^m + 1",
      },
    ],
  },
  slips: HS_SLIPS,
  cast: ({ ids, initiators }, slip) => ({
    ids,
    initiators,
    processes: ids.map((id) => new Hs(id, slip as HsSlip | null)),
  }),
  say: (message) =>
    message.kind === "elected"
      ? `${message.id} is elected`
      : message.kind === "reply"
        ? `reply to ${message.id}, phase ${message.phase}`
        : `probe ${message.id}, phase ${message.phase}, hop ${message.distance}`,
};
