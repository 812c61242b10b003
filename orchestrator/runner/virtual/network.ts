/** A topology as the virtual network takes it, with links that can change while it runs. */

import type { ServerId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import type { LinkShape } from "#node/host/virtual/link.ts";
import type { LinkChange } from "../../fault/abilities.ts";
import { clientsOf } from "../../testbed/network/network.ts";
import type { Topology } from "../../topology/topology.ts";
import { pairKey } from "../../topology/link.ts";

/** The network reads it anew for each packet, so that a change takes effect at once. */
interface ChangingLink extends LinkShape {
  delay: Duration;
  bytesPerSecond: number;
}

export class SimulatedNetwork {
  /** Those of servers, `p1`, and one for the clients of each site. */
  readonly machines: ReadonlyMap<string, { readonly site: string }>;
  readonly #handling: Duration;
  /** By directed pair of machines. */
  readonly #links = new Map<string, ChangingLink>();

  /** `handling`: what the receiving machine adds to every delay. */
  constructor(topology: Topology, handling: Duration) {
    this.#handling = handling;
    const servers = [...topology.servers].map(([server, site]) => [`p${server}`, { site }] as const);
    const clients = [...topology.sites.keys()].map((site) => [clientsOf(site), { site }] as const);
    this.machines = new Map([...servers, ...clients]);
    for (const [from, a] of this.machines) {
      for (const [to, b] of this.machines)
        this.#links.set(pairKey(from, to), shapeOf(topology, a.site, b.site, handling));
    }
  }

  /** From one machine to another. */
  change(from: string, to: string, { delay, rate }: LinkChange): void {
    const link = this.#links.get(pairKey(from, to));
    if (link === undefined) return;
    if (delay !== undefined) link.delay = microseconds(delay + this.#handling);
    if (rate !== undefined) link.bytesPerSecond = bytesPerSecond(rate);
  }

  link(from: ServerId, to: ServerId): LinkShape {
    return this.between(`p${from}`, `p${to}`);
  }

  between(from: string, to: string): LinkShape {
    return this.#links.get(pairKey(from, to)) ?? { delay: microseconds(0) };
  }
}

export function shapeOf(topology: Topology, from: string, to: string, handling: Duration): ChangingLink {
  const { delay: way, jitter, rate } = topology.link(from, to);
  const delay = microseconds(way + handling);
  return {
    delay,
    jitter: jitter === null ? 0 : (SD_PER_SCALE[jitter.distribution] * jitter.scale) / delay,
    distribution: jitter?.distribution === "uniform" ? "uniform" : "normal",
    bytesPerSecond: bytesPerSecond(rate),
    window: TCP_WINDOW,
  };
}

const bytesPerSecond = (rate: number): number => (Number.isFinite(rate) ? rate / 8 : CARD);

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
