/** Bully, as the catalog has it. */

import type { Judge } from "../../core/score.ts";
import { milliseconds } from "../../core/time.ts";
import type { ElectionEntry } from "../entry.ts";
import type { Schema } from "../options.ts";
import { BullyElection } from "./bully.ts";
import { bullyCodec } from "./codec.ts";
import type { BullySays } from "./message.ts";

const OPTIONS = {
  byScore: {
    kind: "switch",
    default: true,
    sentence:
      "who has the better score is greater, and everybody is asked; no: the higher id, as in the lecture",
    drawn: [true, true, false],
  },
  knownDown: {
    kind: "switch",
    default: true,
    sentence: "ask nobody known to be down, and wait for nobody such; no: the lecture to the letter",
    drawn: [true, true, false],
  },
  answerTimeout: {
    kind: "duration",
    default: milliseconds(200),
    sentence: "how long answers are waited for before who asked leads",
    drawn: [100, 200, 500].map(milliseconds),
  },
  coordinatorTimeout: {
    kind: "duration",
    default: milliseconds(400),
    sentence: "how long who was answered waits for a leader, then twice as long each time",
    drawn: [200, 400, 1000].map(milliseconds),
  },
} as const satisfies Schema;

export const bully: ElectionEntry<BullySays, typeof OPTIONS> = {
  create: (seat, options) =>
    new BullyElection({ ...seat, ...options, judge: options.byScore ? seat.judge : BY_ID }),
  codec: bullyCodec,
  options: OPTIONS,
  assumes: {
    medium: "peers",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Garcia-Molina: Elections in a Distributed Computing System, 1982; lecture of Misra, IIT Patna",
  summary: "the greatest that lives, because everybody less gives way",
  remembers: true,
  proposes: (message) => (message.kind === "election" ? [message.key.server] : []),
};

/** No score: all are equal but for their ids. */
export const BY_ID: Judge = {
  ready: () => true,
  score: () => [],
  compare: () => 0,
  explain: () => ({}),
};
