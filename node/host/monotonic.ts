/**
 * Microseconds of the machine's monotonic clock, the same for all its processes: what they say happened can
 * be merged, and all can begin at one instant.
 */

import type { Instant } from "../core/time.ts";

export const monotonic = (): Instant => Number(process.hrtime.bigint() / 1000n) as Instant;
