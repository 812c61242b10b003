/** POLE, as the catalog has it. */

import { milliseconds } from "../../core/time.ts";
import type { ElectionEntry } from "../entry.ts";
import type { Schema } from "../options.ts";
import { poleCodec } from "./codec.ts";
import type { PoleMessage } from "./message.ts";
import { DEFAULT_TIMEOUT, PoleElection } from "./pole.ts";
import { tellPole } from "./tell.ts";

const OPTIONS = {
  electionTimeout: {
    kind: "duration",
    default: DEFAULT_TIMEOUT,
    sentence: "how long an election waits for more proposals, POLE's T",
    inPlans: "timeout",
    drawn: [20, 100, 200, 500].map(milliseconds),
  },
  knownDown: {
    kind: "switch",
    default: true,
    sentence: "do not wait for servers known to be down; no: wait out T for them, as the paper does",
    drawn: [true, true, true, true, false],
  },
  succession: {
    kind: "switch",
    default: false,
    sentence: "follow at once whom the dead leader took for the best; no: elect anew, as the paper does",
    drawn: [true, false],
  },
} as const satisfies Schema;

export const pole: ElectionEntry<PoleMessage, typeof OPTIONS> = {
  create: (seat, { electionTimeout, knownDown, succession }) =>
    new PoleElection({ ...seat, timeout: electionTimeout, knownDown, succession }),
  codec: poleCodec,
  options: OPTIONS,
  assumes: {
    medium: "peers",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source:
    "Becker, Junqueira, Serafini: Leader Election for Replicated Services Using Application Scores, 2011",
  summary: "the best score among those who propose in time",
  tell: tellPole,
  proposes: (message) =>
    message.kind === "proposal" ? [message.candidate] : message.kind === "heir" ? [message.heir] : [],
  // An heir is one before the leader dies.
  remembers: true,
  quorumStands: ({ knownDown, succession }) => knownDown && !succession,
  mayNotEnd: ({ knownDown }) => (knownDown ? null : "the paper's election to the letter"),
};
