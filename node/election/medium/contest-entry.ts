/** An election of a ring in rounds, as the catalog has it: its rules, and what its tokens have besides. */

import { milliseconds } from "../../core/time.ts";
import type { Assumptions } from "../assumptions.ts";
import type { ElectionEntry, MessageCodec, Seat } from "../entry.ts";
import type { Schema, Values } from "../options.ts";
import { Contest } from "./contest.ts";
import type { Rules } from "./contest-rules.ts";
import { contestCodec, type ContestMessage, type Token } from "./contest-message.ts";
import type { RingMessage } from "./ring.ts";
import { overRing, type RING_OPTIONS } from "./ring-entry.ts";

/** Longer than a tour of a WAN takes. */
export const DEFAULT_RETRY = milliseconds(400);

export const CONTEST_OPTIONS = {
  electionRetry: {
    kind: "duration",
    default: DEFAULT_RETRY,
    sentence: "after how long what may be lost is said again, then after twice as long each time",
    drawn: [100, 400, 1000].map(milliseconds),
  },
  gather: {
    kind: "duration",
    default: milliseconds(200),
    sentence: "how long a server that starts waits for those it has not heard of",
    drawn: [20, 200, 500].map(milliseconds),
  },
} as const satisfies Schema;

type ContestSchema<S extends Schema> = S & typeof CONTEST_OPTIONS & typeof RING_OPTIONS;

export interface ContestEntry<More extends object, Tour, S extends Schema> {
  readonly rules: (options: Values<S>, seat: Seat) => Rules<Token & More, Tour>;
  /** Of what its tokens have besides. */
  readonly codec: MessageCodec<More>;
  readonly options: S;
  readonly assumes: Omit<Assumptions, "medium">;
  readonly source: string;
  readonly summary: string;
}

export const overContest = <More extends object, Tour, S extends Schema>({
  rules,
  codec,
  options,
  assumes,
  source,
  summary,
}: ContestEntry<More, Tour, S>): ElectionEntry<RingMessage<ContestMessage<Token & More>>, ContestSchema<S>> =>
  overRing<ContestMessage<Token & More>, S & typeof CONTEST_OPTIONS>({
    create(seat, values) {
      const { electionRetry: retry, gather } = values as Values<typeof CONTEST_OPTIONS>;
      return new Contest({ ...seat, retry, gather }, rules(values, seat));
    },
    codec: contestCodec(codec),
    options: { ...options, ...CONTEST_OPTIONS },
    assumes,
    source,
    summary,
    quorumStands: true,
    remembers: true,
    proposes: (message) => (message.kind === "token" ? [message.token.key.server] : []),
  });

/** Of tokens that have nothing besides. */
export const NOTHING_MORE: MessageCodec<Record<never, never>> = {
  write: () => undefined,
  read: () => ({}),
  examples: [{}],
};
