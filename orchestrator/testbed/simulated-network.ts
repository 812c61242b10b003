/** A topology as the virtual network takes it, with links that can change while it runs. */

import type { ServerId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import type { LinkShape } from "#node/host/virtual/link.ts";
import type { Topology } from "../topology.ts";
import { pairKey } from "../topology-link.ts";

/** The network reads it anew for each packet, so that a change takes effect at once. */
interface ChangingLink extends LinkShape {
  delay: Duration;
  bytesPerSecond: number;
}

export class SimulatedNetwork {
  readonly #topology: Topology;
  /** By directed pair of sites. */
  readonly #links = new Map<string, ChangingLink>();

  constructor(topology: Topology) {
    this.#topology = topology;
    const sites = [...topology.sites.keys()];
    for (const from of sites) {
      for (const to of sites) this.#links.set(pairKey(from, to), shapeOf(topology, from, to));
    }
  }

  change(from: string, to: string, roundTrip: Duration): void {
    for (const key of [pairKey(from, to), pairKey(to, from)]) {
      const link = this.#links.get(key);
      if (link === undefined) continue;
      link.delay = microseconds(roundTrip / 2);
      link.bytesPerSecond = Math.min(link.bytesPerSecond, windowed(roundTrip));
    }
  }

  link(from: ServerId, to: ServerId): LinkShape {
    const site = (server: ServerId): string => this.#topology.servers.get(server) ?? "";
    return this.#links.get(pairKey(site(from), site(to))) ?? { delay: microseconds(0) };
  }
}

function shapeOf(topology: Topology, from: string, to: string): ChangingLink {
  const { delay, jitter, rate } = topology.link(from, to);
  return {
    delay,
    jitter: jitter === null ? 0 : (SD_PER_SCALE[jitter.distribution] * jitter.scale) / delay,
    distribution: jitter?.distribution === "uniform" ? "uniform" : "normal",
    bytesPerSecond: Math.min(
      Number.isFinite(rate) ? rate / 8 : CARD,
      windowed(delay + topology.link(to, from).delay),
    ),
  };
}

/** A connection carries a window each round trip. */
const windowed = (roundTrip: number): number => (TCP_WINDOW / roundTrip) * 1e6;

/**
 * The mean and the spread of netem's table are kept, its shape is not: the virtual network's own Pareto has
 * its least where netem's has its mean.
 */
const SD_PER_SCALE = { pareto: 0.8203, normal: 1, uniform: 1 } as const;
/** A gigabit card carries about 940 Mbit/s of TCP (POLE paper, Fig. 3). */
const CARD = 940e6 / 8;
/** Linux lets a receive buffer grow to 6 MiB (tcp_rmem), half of it window: the rest of Fig. 3. */
const TCP_WINDOW = 3 * 2 ** 20;
