/** Majority vote, as the catalog has it. */

import { milliseconds } from "../../core/time.ts";
import type { ElectionEntry } from "../entry.ts";
import type { Schema } from "../options.ts";
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
} as const satisfies Schema;

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
  remembers: true,
  proposes: (message) => (message.kind === "ask" ? [message.key.server] : []),
};
