/**
 * Every election over the medium `service`, by the name a user gives. A new one is a folder and a line here.
 */

import { chain, herd } from "./chain/entry.ts";
import { priority } from "./priority/entry.ts";
import type { ServiceElectionEntry } from "./service-election.ts";

export const serviceElections = {
  chain,
  herd,
  priority,
} as const satisfies Record<string, ServiceElectionEntry>;
