/** A topology as the virtual network takes it, with links that can change while it runs. */

import type { ServerId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import type { LinkShape } from "#node/host/virtual/link.ts";
import type { Topology } from "../../topology/topology.ts";
import { pairKey } from "../../topology/link.ts";

/** The network reads it anew for each packet, so that a change takes effect at once. */
interface ChangingLink extends LinkShape {
  delay: Duration;
}

export class SimulatedNetwork {
  readonly #topology: Topology;
  readonly #handling: Duration;
  /** By directed pair of sites. */
  readonly #links = new Map<string, ChangingLink>();

  /** `handling`: what the receiving machine adds to every delay. */
  constructor(topology: Topology, handling: Duration) {
    this.#topology = topology;
    this.#handling = handling;
    const sites = [...topology.sites.keys()];
    for (const from of sites) {
      for (const to of sites) this.#links.set(pairKey(from, to), shapeOf(topology, from, to, handling));
    }
  }

  change(from: string, to: string, roundTrip: Duration): void {
    for (const key of [pairKey(from, to), pairKey(to, from)]) {
      const link = this.#links.get(key);
      if (link === undefined) continue;
      link.delay = microseconds(roundTrip / 2 + this.#handling);
    }
  }

  link(from: ServerId, to: ServerId): LinkShape {
    return this.between(this.siteOf(from), this.siteOf(to));
  }

  between(from: string, to: string): LinkShape {
    return this.#links.get(pairKey(from, to)) ?? { delay: microseconds(0) };
  }

  siteOf(server: ServerId): string {
    return this.#topology.servers.get(server) ?? "";
  }
}

function shapeOf(topology: Topology, from: string, to: string, handling: Duration): ChangingLink {
  const { delay: way, jitter, rate } = topology.link(from, to);
  const delay = microseconds(way + handling);
  return {
    delay,
    jitter: jitter === null ? 0 : (SD_PER_SCALE[jitter.distribution] * jitter.scale) / delay,
    distribution: jitter?.distribution === "uniform" ? "uniform" : "normal",
    bytesPerSecond: Number.isFinite(rate) ? rate / 8 : CARD,
    window: TCP_WINDOW,
  };
}

/**
 * The mean and the spread of netem's table are kept, its shape is not: the virtual network's own Pareto has
 * its least where netem's has its mean.
 */
const SD_PER_SCALE = { pareto: 0.8203, normal: 1, uniform: 1 } as const;
/** A gigabit card carries about 940 Mbit/s of TCP (POLE paper, Fig. 3). */
const CARD = 940e6 / 8;
/**
 * Ten segments of 1448 bytes at first (RFC 6928); Linux lets a receive buffer grow to 6 MiB (tcp_rmem), half
 * of it window: the rest of Fig. 3.
 */
const TCP_WINDOW = { initial: 10 * 1448, most: 3 * 2 ** 20 };
