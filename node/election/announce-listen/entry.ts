/** LE-S and LE-A for the catalog. */

import { microseconds, milliseconds, seconds } from "../../core/time.ts";
import type { GroupElectionEntry } from "../group-election.ts";
import { AnnounceListen, type Announcement } from "./announce-listen.ts";

const shared = {
  /** announcement => life:u32 number:u32 */
  codec: {
    write({ life, number }, writer) {
      writer.u32(life).u32(number);
    },
    read: (reader) => ({ life: reader.u32(), number: reader.u32() }),
    kind: () => "announcement",
  },
  assumes: {
    medium: "group",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Schooler: Why Multicast Protocols (Don't) Scale, 2001, chapter 5",
} as const satisfies Partial<GroupElectionEntry<Announcement>>;

/** Three heartbeats in a row may be lost. */
const USUAL = { announce: seconds(1), listen: milliseconds(3500) };

export const announceListenSuppressed: GroupElectionEntry<Announcement> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, options),
  usual: { ...USUAL, suppress: milliseconds(500) },
  summary: "the greatest address leads; who begins first listens for a random time",
};

export const announceListen: GroupElectionEntry<Announcement> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, { ...options, suppress: microseconds(0) }),
  usual: { ...USUAL, suppress: microseconds(0) },
  summary: "the greatest address leads; who begins speaks at once",
};
