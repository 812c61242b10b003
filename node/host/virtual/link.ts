/** One direction between two servers: how long what is sent takes, and how unsteady that is. */

import type { Random } from "../../core/random.ts";
import { type Duration, microseconds } from "../../core/time.ts";
import type { WindowShape } from "./flow.ts";

/**
 * How delays spread around the base delay `d`, with jitter `j` as a share of it:
 *
 * - none: always d.
 * - normal: mean d, standard deviation j d (never below 0).
 * - uniform: between (1 - j) d and (1 + j) d.
 * - pareto: never below d, mean (1 + j) d, with a heavy tail (shape 3): mostly quick, now and then very late.
 */
export type Distribution = "none" | "normal" | "uniform" | "pareto";

export interface LinkShape {
  /** One way. */
  readonly delay: Duration;
  /** A share of the delay; 0.02 when not given. */
  readonly jitter?: number;
  /** normal when not given. */
  readonly distribution?: Distribution;
  /** Of each channel, one after the other; unlimited when not given. */
  readonly bytesPerSecond?: number;
  /** How much a channel may have under way; as much as there is when not given. */
  readonly window?: WindowShape;
  /** How often a connection that uses this direction breaks by itself; never when not given. */
  readonly breaksPerHour?: number;
}

const JITTER = 0.02;
const PARETO_SHAPE = 3;

export function drawDelay(shape: LinkShape, random: Random): Duration {
  const jitter = shape.jitter ?? JITTER;
  if (jitter === 0) return shape.delay;
  return microseconds(
    Math.max(0, shape.delay * (1 + jitter * deviation(shape.distribution ?? "normal", random))),
  );
}

/** How long `size` bytes keep the sender busy. */
export const sendingTime = ({ bytesPerSecond }: LinkShape, size: number): Duration =>
  bytesPerSecond === undefined ? (0 as Duration) : microseconds((size / bytesPerSecond) * 1e6);

function deviation(distribution: Distribution, random: Random): number {
  switch (distribution) {
    case "none":
      return 0;
    case "normal":
      return random.normal();
    case "uniform":
      return 2 * random.unit() - 1;
    case "pareto":
      return (PARETO_SHAPE - 1) * ((1 - random.unit()) ** (-1 / PARETO_SHAPE) - 1);
  }
}
