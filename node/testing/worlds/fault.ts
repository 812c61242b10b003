/** What goes wrong in a world of whole servers, as values: when, for how long, and whom it strikes. */

import type { Duration } from "../../core/time.ts";
import type * as cut from "../swarm/cut.ts";

/** `last`: whom the fault before struck. */
export type Target = cut.Target | "last";

/** Which files a disk stands still for: all, those of the log, or snapshots. */
export type Files = "" | "log." | "snapshot.";

export type ProcessFault =
  | { readonly kind: "crash process" | "crash machine" | "stop"; readonly target: Target }
  /** Its process is stopped, and begins again with other settings. */
  | { readonly kind: "other settings"; readonly target: Target }
  /** Some die by their process, others by their machine: all, or as many as a quorum lacks then. */
  | { readonly kind: "crash everything" }
  | { readonly kind: "lost quorum" }
  | { readonly kind: "pause" | "suspend"; readonly target: Target };

export type NetworkFault =
  | cut.Cut<Target>
  /** A firewall forgets the bulk connection of two servers, and their heartbeats go on. */
  | { readonly kind: "forget bulk" }
  | { readonly kind: "cut clients"; readonly target: Target };

export type DiskFault =
  | { readonly kind: "slow disk"; readonly target: Target; readonly factor: number }
  | { readonly kind: "stalled disk"; readonly target: Target; readonly files: Files }
  | { readonly kind: "full disk" | "failing disk"; readonly target: Target };

/**
 * Its own checkpoint stands still on the way to the disk while others go on without it, and send it theirs.
 */
export interface LateCheckpoint {
  readonly kind: "late checkpoint";
  readonly target: Target;
}

/** Its machine loses its disk, and gets another. */
export interface NewDisk {
  readonly kind: "new disk";
  readonly target: Target;
}

/** The wall clock is set; the monotonic clock leaps ahead. */
export interface ClockFault {
  readonly kind: "set clock" | "leap clock";
  readonly target: Target;
  readonly by: Duration;
}

export type Fault = ProcessFault | NetworkFault | DiskFault | ClockFault | NewDisk | LateCheckpoint;

export interface Incident {
  /** By which it is left out of a smaller schedule; what it draws hangs on nothing else. */
  readonly number: number;
  readonly at: Duration;
  readonly lasts: Duration;
  readonly fault: Fault;
}

export function printFault(fault: Fault): string {
  const whom = "target" in fault ? `: ${fault.target}` : "";
  switch (fault.kind) {
    case "isolate one way":
      return `${fault.kind} (${fault.direction} it)${whom}`;
    case "split":
      return `${fault.kind} (${fault.withLeader} with the leader)`;
    case "slow disk":
      return `${fault.kind} (${fault.factor} times)${whom}`;
    case "stalled disk":
      return `${fault.kind} (${fault.files || "all files"})${whom}`;
    case "set clock":
    case "leap clock":
      return `${fault.kind} (${fault.by / 1e6} s)${whom}`;
    default:
      return `${fault.kind}${whom}`;
  }
}

export const printIncident = ({ number, at, lasts, fault }: Incident): string =>
  `${number}: ${(at / 1e6).toFixed(3)} s, for ${(lasts / 1e6).toFixed(3)} s: ${printFault(fault)}`;
