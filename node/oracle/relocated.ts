/**
 * Latencies with clients counted where they will be: those of the leader that is left out go to the servers
 * nearest to it, those of its own site where it had others. The paper counts them nowhere.
 *
 * From how far they come is the same whoever leads; it is part of the time all the same, because a write of
 * theirs takes it.
 */

import type { ServerId } from "../core/identity.ts";
import { type Duration, microseconds, milliseconds, toMilliseconds } from "../core/time.ts";
import { consensusLatency, quorumMeasured } from "./consensus.ts";
import type { View } from "./oracle.ts";
import { timed } from "./timed.ts";

interface Moved {
  /** Those that are equally near. */
  readonly to: readonly ServerId[];
  readonly hop: Duration;
  readonly rate: number;
}

function movedOf({ departed, roundTrips }: View): Moved | null {
  if (departed === null) return null;
  const ways = [...roundTrips.keys()].flatMap((server) => {
    const way = departed.report.roundTrips.get(server);
    return way === undefined ? [] : [{ server, way }];
  });
  if (ways.length === 0) return null;
  const nearest = Math.min(...ways.map(({ way }) => way));
  const to = ways.filter(({ way }) => way <= nearest + SAME_SITE).map(({ server }) => server);
  // Within a site a client is where its server was.
  const hop = microseconds(nearest <= SAME_SITE ? 0 : nearest);
  return { to, hop, rate: departed.requestRate };
}

interface Forwarded {
  readonly mean: Duration;
  readonly worst: Duration;
}

function forwarded(view: View): Forwarded {
  const { roundTrips, requestRates } = view;
  const moved = movedOf(view);
  const ways = [...roundTrips].map(([server, way]) => ({ way, rate: requestRates.get(server) ?? 0 }));
  for (const server of moved?.to ?? []) {
    const way = microseconds((roundTrips.get(server) ?? 0) + (moved?.hop ?? 0));
    ways.push({ way, rate: (moved?.rate ?? 0) / (moved?.to.length ?? 1) });
  }
  const total = ways.reduce((sum, { rate }) => sum + rate, 0);
  const share = (rate: number): number => (total === 0 ? 1 / ways.length : rate / total);
  return {
    mean: microseconds(ways.reduce((sum, { way, rate }) => sum + share(rate) * way, 0)),
    worst: microseconds(Math.max(...ways.map(({ way }) => way))),
  };
}

const relocated = (which: keyof Forwarded) =>
  timed({
    cost(view) {
      const ofConsensus = consensusLatency(view);
      return ofConsensus === null ? null : microseconds(ofConsensus + forwarded(view)[which]);
    },
    ready: quorumMeasured,
    explain(view): Record<string, number> {
      const ofConsensus = consensusLatency(view);
      const way = toMilliseconds(forwarded(view)[which]);
      const [whole, part] = which === "mean" ? ["meanMs", "forwardingMs"] : ["worstMs", "farthestMs"];
      if (ofConsensus === null) return { [part]: way };
      const consensusMs = toMilliseconds(ofConsensus);
      return { [whole]: consensusMs + way, consensusMs, [part]: way };
    },
  });

export const relocatedLatency = relocated("mean");
export const relocatedWorstCase = relocated("worst");

/** Servers so near to each other serve the same clients. */
const SAME_SITE = milliseconds(1);
