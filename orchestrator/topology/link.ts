/** What one site is, and what happens to packets between two of them. */

import type { ServerId } from "#node/core/identity.ts";
import type { Duration } from "#node/core/time.ts";

/** How one-way delays spread around their mean, independently for each direction. */
export interface Jitter {
  readonly distribution: "pareto" | "normal" | "uniform";
  /** netem's jitter: a Pareto's sd is 0.82 of it, a normal's all of it, a uniform's half-width is it. */
  readonly scale: Duration;
  /**
   * 0: every packet draws for itself. Otherwise delays swing, and this is how long half of a deviation lasts.
   */
  readonly halfLife: Duration;
}

/** What happens to packets on the way from one host to another. */
export interface LinkShape {
  /** One-way, the mean over all packets. */
  readonly delay: Duration;
  readonly jitter: Jitter | null;
  /** 0 to 1. */
  readonly loss: number;
  /** Bits per second; Infinity when nothing limits it. */
  readonly rate: number;
  /** 0 to 1: of all packets, those that arrive twice; none when not given. */
  readonly duplicate?: number;
  /** 0 to 1: those that arrive with a bit wrong; none when not given. */
  readonly corrupt?: number;
}

export interface Link extends LinkShape {
  /** Computed from the distance because no measurement was at hand. */
  readonly estimated: boolean;
  readonly source: string | null;
}

export interface Site {
  readonly name: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly servers: readonly ServerId[];
  /** This site's share of all client requests; the shares of all sites sum to 1. */
  readonly load: number;
}

export const pairKey = (from: string, to: string): string => `${from} ${to}`;

/**
 * Whether a multicast is lost for each receiver by itself, or for all at once; a number is both: with this
 * chance it is lost for all, and for each the rest of what its way loses.
 */
export type MulticastLoss = "independent" | "shared" | number;
