/** Majority vote, as the catalog has it. */

import { milliseconds } from "../../core/time.ts";
import type { ElectionEntry } from "../entry.ts";
import type { Schema, Values } from "../options.ts";
import { voteCodec } from "./codec.ts";
import type { MajoritySays } from "./message.ts";
import { VoteElection } from "./vote.ts";

const OPTIONS = {
  standDelay: {
    kind: "duration",
    default: milliseconds(50),
    sentence: "a server waits so long for each better one before it asks for votes; 0: first come",
    drawn: [0, 50, 200].map(milliseconds),
  },
  ranked: {
    kind: "switch",
    default: true,
    sentence: "that wait is by the rank of its score; no: by chance",
    drawn: [true, false],
  },
  sitOut: {
    kind: "duration",
    default: milliseconds(200),
    sentence: "so long a server that starts votes for nobody: it may have voted in an earlier life",
    drawn: [50, 200, 1000].map(milliseconds),
  },
  leaderWait: {
    kind: "duration",
    default: milliseconds(300),
    sentence: "who has voted waits at least so long for a leader, then twice as long each time",
    drawn: [200, 300, 1000].map(milliseconds),
  },
  waitForAll: {
    kind: "switch",
    default: false,
    sentence: "all ask at once, and who votes waits until all that live have asked, and votes for the best",
    drawn: [false, false, true],
  },
  lease: {
    kind: "duration",
    default: milliseconds(0),
    sentence: "so long a master leads without asking anew; nobody else can be one meanwhile; 0: no leases",
    drawn: [0, 0, 900].map(milliseconds),
  },
  promise: {
    kind: "duration",
    default: milliseconds(1000),
    sentence: "where there are leases: so long who has voted votes for nobody else",
  },
  drift: {
    kind: "count",
    default: 2000,
    least: 0,
    most: 500_000,
    sentence: "where there are leases: by so many millionths the rates of two clocks may differ",
  },
} as const satisfies Schema;

/** A master counts its lease from when it asked, a voter its promise from when it heard: clocks may part. */
function flawOfLease({ lease, promise, drift }: Values<typeof OPTIONS>): string | null {
  if (lease === 0) return null;
  const most = promise / (1 + drift / 1e6);
  const inMs = (time: number): string => `${Math.floor(time / 10) / 100} ms`;
  return lease > most
    ? `a lease of ${inMs(lease)} is too long: with a promise of ${inMs(promise)} and clocks that drift by ` +
        `${drift} millionths it is ${inMs(most)} at most`
    : null;
}

export const vote: ElectionEntry<MajoritySays, typeof OPTIONS> = {
  create: (seat, { leaderWait: retry, ...options }) => new VoteElection({ ...seat, ...options, retry }),
  codec: voteCodec,
  options: OPTIONS,
  assumes: {
    medium: "peers",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Burrows: The Chubby Lock Service, 2006, as in the lecture of Misra, IIT Patna",
  summary: "who gets the votes of a majority, each server voting once a round",
  flawOf: flawOfLease,
  remembers: true,
  proposes: (message) => (message.kind === "ask" ? [message.key.server] : []),
};
