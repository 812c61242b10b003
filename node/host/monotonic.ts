/**
 * Microseconds of the machine's monotonic clock, the same for all its processes: what they say happened can
 * be merged, and all can begin at one instant.
 */

import type { Instant } from "../core/time.ts";

// The first use of either clock loads it, which takes milliseconds: read both once before they are compared.
const offset = (): number => Number(process.hrtime.bigint()) / 1e3 - performance.now() * 1e3;
offset();
const zero = offset();

export const monotonic = (): Instant => Math.round(zero + performance.now() * 1e3) as Instant;
