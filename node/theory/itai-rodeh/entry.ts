/** Itai-Rodeh, as the catalog of lectures has it: the seed of a case is what the processes draw from. */

import { Random } from "../../core/random.ts";
import { bySeed } from "../cases.ts";
import { type Lecture, ORDER_OF_RINGS, places } from "../lecture.ts";
import { ItaiRodeh, ITAI_RODEH_SLIPS, type ItaiRodehMessage, type ItaiRodehSlip } from "./itai-rodeh.ts";

export const itaiRodeh: Lecture<ItaiRodehMessage> = {
  title: "Itai and Rodeh, without ids",
  source: "the escape from the first lecture's impossibility; Itai, Rodeh 1981",
  intuition:
    "Nobody has an id, so each draws one. Only the greatest draw comes home; if several drew it, they " +
    "draw again. Any number of draws may be needed, and hardly ever more than two are.",
  medium: "ring",
  timing: "asynchronous",
  most: 2000,
  counted: ["token"],
  leader: null,
  cases: bySeed,
  example: { ids: places(5), initiators: places(5), seed: 1 },
  theory: {
    best: { label: "best, 2n - 1", of: (n) => 2 * n - 1 },
    mean: null,
    worst: null,
    first: null,
    bound: ORDER_OF_RINGS,
    printed: [],
  },
  slips: ITAI_RODEH_SLIPS,
  cast({ ids, initiators, seed }, slip) {
    const random = new Random(seed);
    const draws = ids.map(() => random.fork());
    return {
      ids,
      initiators,
      processes: draws.map(
        (own) => new ItaiRodeh(ids.length, () => own.integer(1, ids.length), slip as ItaiRodehSlip | null),
      ),
    };
  },
  say: (message) =>
    message.kind === "elected"
      ? `elected ${message.hops} back`
      : `${message.draw} of phase ${message.phase}, hop ${message.hops}` +
        (message.unique ? "" : ", not unique"),
};
