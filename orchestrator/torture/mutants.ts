/**
 * Mistakes that the checks must find on real processes, each with the faults that bring it out and the
 * properties that it breaks. The swarm in virtual time finds all mutants; here it is shown that the same
 * holds of what clients see over sockets. (Commits in reverse are not among them: a server's own assertion
 * ends it before any client sees one.)
 */

import type { Mutant } from "#node/core/mutant.ts";
import type { Property } from "../check/property.ts";
import type { Strike } from "./schedule.ts";

export interface Directed {
  readonly faults: readonly Strike[];
  /** Any of these shows it. */
  readonly breaks: readonly Property[];
}

export const DIRECTED: Partial<Record<Mutant, Directed>> = {
  "acknowledge-before-durable": {
    faults: ["slow disks, then crash of all"],
    breaks: ["durable", "linearizable"],
  },
  "commit-without-quorum": { faults: ["minority partition"], breaks: ["durable", "linearizable"] },
  "skip-truncate": {
    faults: ["minority partition", "slow disks, then crash of all"],
    breaks: ["durable", "linearizable", "equal"],
  },
  "stale-leader-serves": { faults: ["minority partition", "pause"], breaks: ["durable", "linearizable"] },
  "deliver-before-commit": { faults: ["minority partition", "pause"], breaks: ["durable", "sequential"] },
};
