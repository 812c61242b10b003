/**
 * What was lost is said again: after a while first, then after twice as long each time, so that an election
 * ends however slow the network is, and does not flood one that is cut.
 */

import type { Duration } from "../core/time.ts";

export const RETRY = "retry";

export const armRetry = (after: Duration): { kind: "arm"; timer: typeof RETRY; after: Duration } => ({
  kind: "arm",
  timer: RETRY,
  after,
});

export const doubled = (after: Duration): Duration => (after * 2) as Duration;
