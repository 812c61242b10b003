/**
 * Sites in the order in which the operator wants them to lead, and within a site the least mean latency.
 * Servers of no site come after those of all sites; servers that are struck out lead only where nobody else
 * can.
 */

import type { ServerId } from "../core/identity.ts";
import { toMilliseconds } from "../core/time.ts";
import { quorumMeasured } from "./consensus.ts";
import type { Oracle, View } from "./oracle.ts";
import { lessIsBetter, NONE } from "./order.ts";
import { relocatedLatency } from "./relocated.ts";
import { lessByShare } from "./timed.ts";

export interface RankedSite {
  readonly name: string;
  readonly servers: readonly ServerId[];
}

export function site(sites: readonly RankedSite[], struck: readonly ServerId[]): Oracle {
  const placeOf = ({ self }: View): number => {
    const place = sites.findIndex(({ servers }) => servers.includes(self));
    return place === -1 ? sites.length : place;
  };
  const isStruck = ({ self }: View): number => (struck.includes(self) ? 1 : 0);
  return {
    score(view) {
      const cost = relocatedLatency.cost(view);
      return cost === null ? NONE : [isStruck(view), placeOf(view), cost];
    },
    compare: lessIsBetter,
    ready: quorumMeasured,
    explain(view): Record<string, number> {
      const cost = relocatedLatency.cost(view);
      const meanMs = cost === null ? {} : { meanMs: toMilliseconds(cost) };
      return { struck: isStruck(view), placeOfSite: placeOf(view) + 1, ...meanMs };
    },
    /** A better site is worth any margin; within one it is by latency. */
    advantage(score, over) {
      for (const place of [0, 1]) {
        const [mine, theirs] = [score[place], over[place]];
        if (mine !== theirs) return Math.sign((theirs ?? Number.MAX_VALUE) - (mine ?? Number.MAX_VALUE));
      }
      return lessByShare(score.slice(2), over.slice(2));
    },
    milliseconds: ([, , cost]) => (cost === undefined ? null : cost / 1e3),
  };
}
