/**
 * What machines add to the way between them. Virtual time knows nothing of kernels and processors but these
 * numbers, and a trial in virtual time says them. A live trial measures two of them (`machine-survey.ts`), so
 * that its plan can be run again with the machine that it had (`polebench agree`).
 */

import type { Duration } from "#node/core/time.ts";
import { microseconds, milliseconds, toMilliseconds } from "#node/core/time.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import type { MeasuredMachine } from "../../recording/recording.ts";
import { loadTopology } from "../../topology/topology.ts";

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
 * What the constants below were fitted to: there they must agree with live runs, and prove nothing by it.
 * `polebench agree` says of every comparison whether it is of this.
 */
export const FITTED_TO = { topology: "3dc", ratePerSecond: 1000 } as const;

export const isFittedTo = ({ topology, subject }: ServicePlan): boolean =>
  topology.name === FITTED_TO.topology &&
  subject.workload.ratePerSecond === FITTED_TO.ratePerSecond &&
  JSON.stringify([...topology.sites.values()].map(({ load }) => load)) ===
    JSON.stringify([...loadTopology(FITTED_TO.topology).sites.values()].map(({ load }) => load));

/**
 * Two virtual processors of an AMD EPYC, 3dc under 1,000 writes/s. The sync and the exit are medians of what
 * live runs measured there just before their loads, and `polebench agree` takes each run's own instead. The
 * handling is what a write took above its way alone in those runs, divided by the six messages on it.
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
