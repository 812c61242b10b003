/** What clients saw of a killed leader: how long nobody was served, and how long anyone waited afterwards. */

import type { Sample } from "../workload/load/plan.ts";

export interface Takeover {
  /** From the last acknowledgement before the outage to the first after it, over all clients. */
  readonly gapMs: number;
  /** The longest that a request waited which was due only after the outage. */
  readonly stallMs: number;
}

/** What the dead had said before may be on its way for so long. */
const ECHO_US = 50_000;

/**
 * The samples are in order of completion. Null when nothing was acknowledged after the kill. Of a loaded
 * machine's pauses only those count that begin before the leader was silent, `gone` being when the kernel had
 * buried it: what begins later is not for its death to answer.
 */
export function takeover(samples: readonly Sample[], killed: number, gone = Infinity): Takeover | null {
  let gap = -1;
  let resumed = 0;
  let previous: number | null = null;
  for (const [, , completed] of samples) {
    const isOfDeath = completed > killed && (previous ?? Infinity) < gone + ECHO_US;
    if (previous !== null && isOfDeath && completed - previous > gap) {
      gap = completed - previous;
      resumed = completed;
    }
    previous = completed;
  }
  if (gap < 0) return null;
  const waits = samples.map(([intended, , completed]) => (intended >= resumed ? completed - intended : 0));
  return { gapMs: gap / 1e3, stallMs: waits.reduce((a, b) => Math.max(a, b), 0) / 1e3 };
}
