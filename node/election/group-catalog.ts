/**
 * Every election over the medium `group`, by the name a user gives. A new one is a folder and a line here.
 */

import {
  announceListen,
  announceListenEarliest,
  announceListenMapped,
  announceListenQuery,
  announceListenSuppressed,
  suppressedByAnybody,
} from "./announce-listen/entry.ts";
import type { GroupElectionEntry } from "./group-election.ts";
import { timeSlice, variableSpeeds } from "./in-rounds/entry.ts";

export const groupElections = {
  "le-a": announceListen,
  "le-s": announceListenSuppressed,
  "le-m": announceListenEarliest,
  "le-mapped": announceListenMapped,
  "le-q": announceListenQuery,
  "sup-al": suppressedByAnybody,
  "time-slice": timeSlice,
  "variable-speeds": variableSpeeds,
} as const satisfies Record<string, GroupElectionEntry>;

export type GroupElectionName = keyof typeof groupElections;
