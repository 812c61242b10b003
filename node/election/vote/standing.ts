/** How good a leader each server would be, as it tells while a leader is served: by it all know who waits. */

import type { ServerId } from "../../core/identity.ts";
import { isNear } from "../../core/score.ts";
import { seconds } from "../../core/time.ts";
import type { Key } from "../key.ts";
import type { VoteState } from "./vote-state.ts";

/** Distances and loads change slowly; what has not changed is not told again. */
export const STANDING_EVERY = seconds(1);

/** All that are connected know it, but for what measuring strays by. */
export const isTold = (
  { score }: Key,
  { told, toldTo, connected }: Pick<VoteState, "told" | "toldTo" | "connected">,
): boolean =>
  told !== null && isNear(score, told.score) && connected.every((server) => toldTo.includes(server));

/**
 * How many of these were last heard to be better than `self` was told to be. Who was never heard has its
 * score, and of those that are near the ids decide, so that no two go before each other.
 */
export function rankOf(
  self: Key,
  heard: readonly Key[],
  others: readonly ServerId[],
  compare: (a: Key, b: Key) => number,
): number {
  const isBetter = (server: ServerId): boolean => {
    const { score } = heard.find((key) => key.server === server) ?? self;
    return isNear(self.score, score) ? server > self.server : compare({ score, server }, self) > 0;
  };
  return others.filter(isBetter).length;
}
