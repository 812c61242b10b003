/**
 * Every election over the medium `group`, by the name a user gives. A new one is a folder and a line here.
 */

import { announceListen, announceListenSuppressed } from "./announce-listen/entry.ts";
import type { GroupElectionEntry } from "./group-election.ts";

export const groupElections = {
  "le-a": announceListen,
  "le-s": announceListenSuppressed,
} as const satisfies Record<string, GroupElectionEntry>;

export type GroupElectionName = keyof typeof groupElections;
