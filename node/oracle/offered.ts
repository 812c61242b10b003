/**
 * Another oracle, judging by what clients offer and not by what they sent.
 *
 * A client that waits for each answer sends the more the nearer its leader is. Each such client counts here
 * with what it would send if all waited equally long: the mean of all. Who asks at a pace of its own counts
 * with that.
 */

import type { ServerId } from "../core/identity.ts";
import { milliseconds } from "../core/time.ts";
import type { Oracle, View } from "./oracle.ts";

/** Per second, of each server that told; of the others what it received. */
export function offeredRates({ reports, requestRates }: View): ReadonlyMap<ServerId, number> {
  const told = [...reports.values()];
  const clients = told.reduce((sum, { offer }) => sum + offer.clients, 0);
  const waiting = told.reduce((sum, { offer, writeLatency }) => sum + offer.clients * writeLatency, 0);
  const usual = Math.max(clients === 0 ? 0 : waiting / clients, SHORTEST);
  return new Map(
    [...requestRates].map(([server, rate]) => {
      const offer = reports.get(server)?.offer;
      if (offer === undefined) return [server, rate];
      return [server, offer.openPerSecond + (offer.clients * 1e6) / (usual + offer.think)];
    }),
  );
}

export function byOffer(oracle: Oracle): Oracle {
  const offered = (view: View): View => ({ ...view, requestRates: offeredRates(view) });
  return {
    ...oracle,
    score: (view, round) => oracle.score(offered(view), round),
    ready: (view) => oracle.ready(view),
    explain: (view, round) => oracle.explain(offered(view), round),
  };
}

/** Else clients that are answered at once would offer without end. */
const SHORTEST = milliseconds(1);
