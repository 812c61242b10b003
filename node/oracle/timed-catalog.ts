/** Those whose score is a time, by name: they can be weighed, and a tenth of one is a tenth. */

import { consensus } from "./consensus.ts";
import { latency } from "./latency.ts";
import { recovery } from "./recovery.ts";
import { relocatedLatency, relocatedWorstCase } from "./relocated.ts";
import type { TimedOracle } from "./timed.ts";
import { worstCase } from "./worst-case.ts";

export const timedOracles = {
  consensus,
  latency,
  "worst-case": worstCase,
  "relocated-latency": relocatedLatency,
  "relocated-worst-case": relocatedWorstCase,
  recovery,
} as const satisfies Record<string, TimedOracle>;

export type TimedName = keyof typeof timedOracles;

export const isTimed = (name: string): name is TimedName => Object.hasOwn(timedOracles, name);
