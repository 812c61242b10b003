/**
 * theta_r: the server that most requests come to leads, for those need not be forwarded.
 *
 * Between two data centers that is the fastest leader; among three it need not be, since consensus may take
 * longer from there than forwarding would (section 4.3).
 */

import type { Oracle, View } from "./oracle.ts";
import { moreIsBetter } from "./order.ts";

const ownRate = ({ requestRates, self }: View): number => requestRates.get(self) ?? 0;

export const request: Oracle = {
  score: (view) => [ownRate(view)],
  compare: moreIsBetter,
  ready: () => true,
  advantage: ([mine = 0], [theirs = 0]) => (mine === theirs ? 0 : (mine - theirs) / Math.max(mine, theirs)),
  explain: (view) => ({ requestsPerSecond: ownRate(view) }),
};
