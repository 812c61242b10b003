/** A topology as the virtual network takes it, with links that can change while it runs. */

import type { ServerId } from "#node/core/identity.ts";
import { type Duration, microseconds } from "#node/core/time.ts";
import type { LinkShape } from "#node/host/virtual/link.ts";
import type { Topology } from "../topology.ts";
import { pairKey } from "../topology-link.ts";

export class SimulatedNetwork {
  readonly #topology: Topology;
  /** One-way delays that a fault has changed, by directed pair of sites. */
  readonly #changed = new Map<string, Duration>();

  constructor(topology: Topology) {
    this.#topology = topology;
  }

  change(from: string, to: string, roundTrip: Duration): void {
    const oneWay = microseconds(roundTrip / 2);
    this.#changed.set(pairKey(from, to), oneWay);
    this.#changed.set(pairKey(to, from), oneWay);
  }

  delay(from: string, to: string): Duration {
    return this.#changed.get(pairKey(from, to)) ?? this.#topology.link(from, to).delay;
  }

  /** Read anew for each packet, so that a change takes effect at once. */
  link(from: ServerId, to: ServerId): LinkShape {
    const [a, b] = [this.#topology.servers.get(from) ?? "", this.#topology.servers.get(to) ?? ""];
    const { jitter, rate } = this.#topology.link(a, b);
    const delay = (): Duration => this.delay(a, b);
    const roundTrip = (): number => this.delay(a, b) + this.delay(b, a);
    return {
      get delay() {
        return delay();
      },
      jitter: jitter === null ? 0 : (SD_PER_SCALE[jitter.distribution] * jitter.scale) / this.delay(a, b),
      distribution: jitter?.distribution === "uniform" ? "uniform" : "normal",
      get bytesPerSecond() {
        return Math.min(Number.isFinite(rate) ? rate / 8 : CARD, (TCP_WINDOW / roundTrip()) * 1e6);
      },
    };
  }
}

/**
 * The mean and the spread of netem's table are kept, its shape is not: the virtual network's own Pareto has
 * its least where netem's has its mean.
 */
const SD_PER_SCALE = { pareto: 0.8203, normal: 1, uniform: 1 } as const;
/** A gigabit card carries about 940 Mbit/s of TCP (POLE paper, Fig. 3). */
const CARD = 940e6 / 8;
/** Linux lets a receive buffer grow to 6 MiB (tcp_rmem), half of it window: the rest of Fig. 3. */
const TCP_WINDOW = 3 * 2 ** 20;
