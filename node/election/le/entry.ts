/** Announce-listen over Zab, as the catalog has it. */

import { milliseconds } from "../../core/time.ts";
import type { ElectionEntry } from "../entry.ts";
import type { Schema } from "../options.ts";
import { leCodec } from "./codec.ts";
import { LeElection } from "./le.ts";
import type { LeMessage } from "./message.ts";

const OPTIONS = {
  announce: {
    kind: "duration",
    default: milliseconds(250),
    sentence: "T_A: who leads says so so often",
    drawn: [100, 250, 500].map(milliseconds),
  },
  listen: {
    kind: "duration",
    default: milliseconds(1000),
    sentence: "T_L: a leader that does not serve yet and is not heard for so long is left",
    drawn: [1000, 3000].map(milliseconds),
  },
  suppress: {
    kind: "duration",
    default: milliseconds(100),
    sentence: "T_S: who begins is silent for up to so long; 0: nobody is",
    drawn: [0, 100, 400].map(milliseconds),
  },
  mapped: {
    kind: "switch",
    default: true,
    sentence: "the better its score, the sooner a server speaks; no: by chance",
    drawn: [true, true, false],
  },
  quorum: {
    kind: "switch",
    default: true,
    sentence:
      "only who reaches a quorum claims to lead; no: whoever hears nobody greater, and Zab refuses it",
    drawn: [true, false],
  },
} as const satisfies Schema;

export const le: ElectionEntry<LeMessage, typeof OPTIONS> = {
  create: (seat, options) => new LeElection({ ...seat, ...options }),
  codec: leCodec,
  options: OPTIONS,
  assumes: {
    medium: "peers",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Schooler: Why Multicast Protocols (Don't) Scale, 2001, chapter 5, over Zab",
  summary: "who announces itself with the best score; the better, the sooner it speaks",
  flawOf: ({ announce, listen }) =>
    listen <= announce
      ? "listen is no longer than announce: a leader is left between two announcements"
      : null,
  remembers: true,
  proposes: (message) => (message.kind === "claim" ? [message.key.server] : []),
};
