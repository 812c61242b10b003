/**
 * What happens to an ensemble, drawn from a seed: which fault, to whom, for how long, and what rest there is
 * between two. Whom it hits is said by role, for who leads is known only when it strikes.
 */

import type { Random } from "#node/core/random.ts";
import { DISK_FAULTS, type DiskFault } from "./faulty-disk.ts";

export type Victim = "leader" | "follower" | "anybody";

export type Fault =
  | { readonly kind: "crash"; readonly victim: Victim }
  | { readonly kind: "crash everything" }
  | { readonly kind: "pause"; readonly victim: Victim }
  | { readonly kind: "pause a majority" }
  | { readonly kind: "disk"; readonly victim: Victim; readonly fault: DiskFault }
  /** The leader is paused, and who followed it is crashed when it comes back. */
  | { readonly kind: "pause, then crash another" };

export interface Incident {
  readonly fault: Fault;
  readonly restMs: number;
  readonly lastsMs: number;
}

export interface Terms {
  readonly sessionTimeoutMs: number;
  /** Whether the disks of this system can be made to fail. */
  readonly disks: boolean;
}

export function drawIncident(random: Random, { sessionTimeoutMs, disks }: Terms): Incident {
  return {
    fault: drawFault(random, disks),
    restMs: random.integer(100, 1500),
    lastsMs: drawDuration(random, sessionTimeoutMs),
  };
}

/**
 * Short; longer than a session lives; or in between, long enough for another leader and too short for clients
 * to leave, so that what they have asked waits for a leader that is none any more.
 */
function drawDuration(random: Random, sessionTimeoutMs: number): number {
  const [low, high] = random.pick([[0.02, 0.4] as const, [0.4, 0.7] as const, [1, 2] as const]);
  return random.integer(low * sessionTimeoutMs, high * sessionTimeoutMs);
}

function drawFault(random: Random, disks: boolean): Fault {
  const victim = random.pick<Victim>(["leader", "leader", "follower", "anybody"]);
  switch (random.integer(0, disks ? 8 : 5)) {
    case 0:
    case 1:
      return { kind: "crash", victim };
    case 2:
      return random.chance(0.5) ? { kind: "crash everything" } : { kind: "pause a majority" };
    case 3:
    case 4:
      return { kind: "pause", victim };
    case 5:
      return { kind: "pause, then crash another" };
    default:
      return { kind: "disk", victim, fault: random.pick(DISK_FAULTS) };
  }
}

/** The kinds that a table counts: a crash of the leader and one of a follower are two. */
export function nameOf(fault: Fault): string {
  const words = "victim" in fault ? ` ${fault.victim}` : "";
  return `${fault.kind === "disk" ? `${fault.fault} disk of` : fault.kind}${words}`;
}
