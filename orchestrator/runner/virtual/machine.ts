/**
 * What machines add to the way between them. Virtual time knows nothing of kernels and processors but these
 * numbers, and a trial in virtual time says them. A live trial measures two of them (`machine-survey.ts`), so
 * that its plan can be run again with the machine that it had (`polebench agree`).
 */

import type { Duration } from "#node/core/time.ts";
import { microseconds, milliseconds, toMilliseconds } from "#node/core/time.ts";
import type { MeasuredMachine } from "../../recording/recording.ts";

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
  handling: microseconds(220),
  sync: milliseconds(0.1),
  exit: milliseconds(12),
};

/** Nothing takes time but the way, as the model has it. */
export const IDEAL: SimulatedMachine = {
  handling: microseconds(0),
  sync: microseconds(0),
  exit: microseconds(0),
};

/** As it was where a live trial ran. */
export const measuredAs = ({ syncMs, exitMs }: MeasuredMachine): SimulatedMachine => ({
  ...MACHINE,
  sync: milliseconds(syncMs),
  exit: milliseconds(exitMs),
});

/** For people. */
export const printMachine = ({ handling, sync, exit }: SimulatedMachine): string =>
  `a message is dealt with in ${toMilliseconds(handling)} ms, a log is safe in ${toMilliseconds(sync)} ms, ` +
  `a killed process is gone in ${toMilliseconds(exit)} ms`;
