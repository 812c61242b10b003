/**
 * What a machine adds to the way between machines, as measured where trials run live (`polebench agree`
 * measures it again, here and now). Virtual time knows nothing of kernels and processors but these numbers,
 * and a trial in virtual time says them.
 */

import type { Duration } from "#node/core/time.ts";
import { microseconds, milliseconds, toMilliseconds } from "#node/core/time.ts";

export interface SimulatedMachine {
  /** From the arrival of a packet until its process has dealt with it: interrupt, wake-up, code, write. */
  readonly handling: Duration;
  /** Until what was appended to the log is safe. */
  readonly sync: Duration;
  /**
   * From the signal that kills a process until its kernel has freed its memory and closes its connections.
   */
  readonly exit: Duration;
}

/**
 * Two virtual processors of an AMD EPYC, 3dc under 1,000 writes/s: `polebench agree` has measured the syncs
 * and exits; what a write took above its way alone, divided by the six messages on it, is the rest.
 */
export const MACHINE: SimulatedMachine = {
  handling: microseconds(140),
  sync: milliseconds(0.1),
  exit: milliseconds(12),
};

/** Nothing takes time but the way, as the model has it. */
export const IDEAL: SimulatedMachine = {
  handling: microseconds(0),
  sync: microseconds(0),
  exit: microseconds(0),
};

/** For people. */
export const printMachine = ({ handling, sync, exit }: SimulatedMachine): string =>
  `a message is dealt with in ${toMilliseconds(handling)} ms, a log is safe in ${toMilliseconds(sync)} ms, ` +
  `a killed process is gone in ${toMilliseconds(exit)} ms`;
