/**
 * What was lost is said again: after a while first, then after twice as long each time, so that an election
 * ends however slow the network is, and does not flood one that is cut. Longer than a minute is as good as
 * never.
 */

import { type Duration, seconds } from "../core/time.ts";

export const RETRY = "retry";

export const armRetry = (after: Duration): { kind: "arm"; timer: typeof RETRY; after: Duration } => ({
  kind: "arm",
  timer: RETRY,
  after,
});

const LONGEST = seconds(60);

export const doubled = (after: Duration): Duration =>
  Math.max(after, Math.min(2 * after, LONGEST)) as Duration;
