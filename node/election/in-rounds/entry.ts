/** The synchronous elections of the lectures, as the catalog has them; a member's number is its id. */

import { milliseconds } from "../../core/time.ts";
import type { Reader } from "../../wire/reader.ts";
import type { Writer } from "../../wire/writer.ts";
import { TimeSlice } from "../../theory/time-slice/time-slice.ts";
import { VariableSpeeds } from "../../theory/variable-speeds/variable-speeds.ts";
import type { GroupElectionEntry } from "../group-election.ts";
import { InRounds, type InRoundsOptions, type Said } from "./in-rounds.ts";

const OPTIONS = {
  round: {
    kind: "duration",
    default: milliseconds(100),
    sentence: "how long a round is; shorter than a message takes, and several may lead",
  },
  ringSize: {
    kind: "count",
    default: 5,
    least: 2,
    most: 1000,
    sentence: "n: members 1 to n are the ring, in this order; as many as there are when not given",
  },
} as const satisfies GroupElectionEntry["options"];

const KINDS = ["token", "elected"] as const;

/** said => kind:u8 id:u32 to:u32 number:u32 */
const codec: GroupElectionEntry<Said>["codec"] = {
  write({ kind, id, to, number }, writer: Writer) {
    writer.u8(KINDS.indexOf(kind)).u32(id).u32(to).u32(number);
  },
  read(reader: Reader) {
    const kind = KINDS[reader.u8()];
    if (kind === undefined) {
      reader.fail("nothing that a member says");
      return null;
    }
    return { kind, id: reader.u32(), to: reader.u32(), number: reader.u32() };
  },
  kind: ({ kind }) => kind,
  examples: [
    { kind: "token", id: 1, to: 2, number: 3 },
    { kind: "elected", id: 7, to: 1, number: 2 },
  ],
};

const shared = {
  codec,
  options: OPTIONS,
  promises: "the least",
  assumes: { medium: "group", failures: "none", messages: "reliable", timing: "rounds" },
} as const satisfies Partial<GroupElectionEntry<Said, typeof OPTIONS>>;

/** The least number is 1: its slice is the second. */
const untilElected =
  (rounds: (n: number) => number) =>
  ({ round, ringSize }: InRoundsOptions) =>
    (rounds(ringSize) * round) as typeof round;

export const timeSlice: GroupElectionEntry<Said, typeof OPTIONS> = {
  ...shared,
  create: (self, options) => new InRounds(self, options, new TimeSlice(self, options.ringSize)),
  firstRound: untilElected((n) => 2 * n),
  source: 'behind the first lecture\'s "Theta(n) under certain conditions"; Lynch 1996',
  summary: "in rounds: each number has a time of its own, and who hears nobody before it leads",
};

export const variableSpeeds: GroupElectionEntry<Said, typeof OPTIONS> = {
  ...shared,
  create: (self, options) => new InRounds(self, options, new VariableSpeeds(self)),
  firstRound: untilElected((n) => 2 * n),
  source: timeSlice.source,
  summary: "in rounds: a number's token is the slower the greater it is, and the fastest gets home",
};
