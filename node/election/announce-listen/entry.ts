/** LE-S and LE-A, as the catalog has them. */

import { microseconds, milliseconds, seconds } from "../../core/time.ts";
import type { GroupElectionEntry } from "../group-election.ts";
import type { Schema } from "../options.ts";
import { AnnounceListen, type Announcement, type AnnounceListenOptions } from "./announce-listen.ts";

const OPTIONS = {
  announce: {
    kind: "duration",
    default: seconds(1),
    sentence: "T_A: a leader announces itself so often",
  },
  listen: {
    kind: "duration",
    // Two heartbeats in a row may be lost.
    default: milliseconds(3500),
    sentence: "T_L: a leader that is not heard for so long is left",
  },
} as const satisfies Schema;

const SUPPRESSED = {
  ...OPTIONS,
  suppress: {
    kind: "duration",
    default: milliseconds(500),
    sentence: "T_S: who begins is silent for up to so long",
  },
} as const satisfies Schema;

const shared = {
  /** announcement => life:u32 number:u32 */
  codec: {
    write({ life, number }, writer) {
      writer.u32(life).u32(number);
    },
    read: (reader) => ({ life: reader.u32(), number: reader.u32() }),
    kind: () => "announcement",
    examples: [{ life: 1, number: 2 }],
  },
  promises: "the greatest",
  assumes: {
    medium: "group",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Schooler: Why Multicast Protocols (Don't) Scale, 2001, chapter 5",
  flawOf: ({ announce, listen }: Pick<AnnounceListenOptions, "announce" | "listen">) =>
    listen < announce ? "listen is shorter than announce: a leader is left between two heartbeats" : null,
} as const satisfies Partial<GroupElectionEntry<Announcement, typeof OPTIONS>>;

export const announceListenSuppressed: GroupElectionEntry<Announcement, typeof SUPPRESSED> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, options),
  options: SUPPRESSED,
  firstRound: ({ suppress }) => suppress,
  summary: "the greatest address leads; who begins first listens for a random time",
};

export const announceListen: GroupElectionEntry<Announcement, typeof OPTIONS> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, { ...options, suppress: microseconds(0) }),
  options: OPTIONS,
  firstRound: () => microseconds(0),
  summary: "the greatest address leads; who begins speaks at once",
};
