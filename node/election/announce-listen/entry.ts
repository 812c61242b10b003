/**
 * The elections of this folder, as the catalog has them; they differ in when a member speaks and what it
 * claims.
 */

import { microseconds, milliseconds, seconds } from "../../core/time.ts";
import type { GroupElectionEntry } from "../group-election.ts";
import type { Schema } from "../options.ts";
import { AnnounceListen, type AnnounceListenOptions } from "./announce-listen.ts";
import { type Announcement, codec } from "./announcement.ts";
import { Query } from "./query.ts";
import { byWorth, bySlot, earliest, late } from "./wake-up.ts";

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
  bye: {
    kind: "count",
    default: 0,
    least: 0,
    most: 50,
    sentence: "a leader that leaves says Bye so often at once; 0: it leaves in silence",
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

const BY_CHANCE = {
  ...SUPPRESSED,
  steepness: {
    kind: "count",
    default: 0,
    least: 0,
    most: 30,
    sentence: "x: wake-ups grow as e^(xt/T_S), late rather than early; 0: uniform",
  },
} as const satisfies Schema;

const MAPPED = {
  ...SUPPRESSED,
  slots: {
    kind: "count",
    default: 255,
    least: 1,
    most: 65_535,
    sentence: "every number up to this wakes in a slot of its own, the greatest first",
  },
  worth: {
    kind: "count",
    default: 0,
    least: 0,
    most: 1000,
    sentence: "what this member is worth as a leader, of 1,000: the best wakes first; 0: by its number",
  },
} as const satisfies Schema;

const ASKING = {
  ...OPTIONS,
  suppress: { ...SUPPRESSED.suppress, default: microseconds(0) },
  query: {
    kind: "duration",
    default: milliseconds(200),
    sentence: "T_Q: who begins asks who leads, and waits so long for an answer",
  },
} as const satisfies Schema;

const shared = {
  codec,
  assumes: {
    medium: "group",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Schooler: Why Multicast Protocols (Don't) Scale, 2001, chapter 5",
  firstRound: ({ suppress }: Pick<AnnounceListenOptions, "suppress">) => suppress,
  flawOf: ({ announce, listen }: Pick<AnnounceListenOptions, "announce" | "listen">) =>
    listen < announce ? "listen is shorter than announce: a leader is left between two heartbeats" : null,
} as const satisfies Partial<GroupElectionEntry<Announcement, typeof SUPPRESSED>>;

/** LE-A. */
export const announceListen: GroupElectionEntry<Announcement, typeof OPTIONS> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, { ...options, suppress: microseconds(0) }),
  options: OPTIONS,
  promises: "the greatest",
  firstRound: () => microseconds(0),
  summary: "the greatest address leads; who begins speaks at once",
};

/** LE-S. */
export const announceListenSuppressed: GroupElectionEntry<Announcement, typeof BY_CHANCE> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, options, { wakeUp: late(options.steepness) }),
  options: BY_CHANCE,
  promises: "the greatest",
  summary: "the greatest address leads; who begins first listens for a random time",
};

/** LE-M. */
export const announceListenEarliest: GroupElectionEntry<Announcement, typeof SUPPRESSED> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, options, { wakeUp: earliest }),
  options: SUPPRESSED,
  promises: "one of them",
  summary: "who wakes first leads: the least delay and the fewest messages, and anybody may lead",
};

/** Mapped wake-up: any criterion at the speed of LE-M. */
export const announceListenMapped: GroupElectionEntry<Announcement, typeof MAPPED> = {
  ...shared,
  create: (self, options) => {
    const { worth, slots } = options;
    const wakeUp = worth > 0 ? byWorth(worth / MAPPED.worth.most) : bySlot(slots);
    return new AnnounceListen(self, options, { wakeUp });
  },
  options: MAPPED,
  // Who is worth most, or the greatest; nobody outside knows what each is worth.
  promises: "one of them",
  summary: "who is worth most wakes first and leads; by number when nobody says what each is worth",
};

/** Query, and with T_S suppress-then-query. */
export const announceListenQuery: GroupElectionEntry<Announcement, typeof ASKING> = {
  ...shared,
  create: (self, options) => new Query(self, options),
  options: ASKING,
  promises: "the greatest",
  firstRound: ({ suppress, query }) => microseconds(suppress + query),
  summary: "the greatest address leads; who begins asks before it speaks",
};

/** SUP+AL, which is here as a warning. */
export const suppressedByAnybody: GroupElectionEntry<Announcement, typeof SUPPRESSED> = {
  ...shared,
  create: (self, options) => new AnnounceListen(self, options, { anybody: true }),
  options: SUPPRESSED,
  promises: "one of them",
  summary: "a warning: whoever speaks silences everybody else, and there may be no leader or several",
};
