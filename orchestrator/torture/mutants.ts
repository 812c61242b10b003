/**
 * Mistakes that the checks must find on real processes, each with the faults that bring it out. The swarm in
 * virtual time finds all mutants; here it is shown that the same holds of what clients see over sockets.
 */

import type { Mutant } from "#node/core/mutant.ts";
import type { FaultKind } from "./schedule.ts";

export const DIRECTED: Partial<Record<Mutant, readonly FaultKind[]>> = {
  "acknowledge-before-durable": ["slow disks, then crash of all"],
  "commit-without-quorum": ["minority partition"],
  "skip-truncate": ["minority partition", "slow disks, then crash of all"],
  "stale-leader-serves": ["minority partition", "pause"],
  "deliver-before-commit": ["minority partition", "pause"],
  "reorder-commits": ["crash"],
};
