/** The lectures' algorithms, by name: a line for each. */

import { bully, bullyKnown } from "./bully/entry.ts";
import { hs } from "./hs/entry.ts";
import { itaiRodeh } from "./itai-rodeh/entry.ts";
import { lcr } from "./lcr/entry.ts";
import type { Lecture } from "./lecture.ts";
import type { Message } from "./process.ts";
import { ringElection, ringFlag } from "./ring-election/entry.ts";
import { timeSlice } from "./time-slice/entry.ts";
import { variableSpeeds } from "./variable-speeds/entry.ts";
import { majorityVote } from "./vote/entry.ts";

/** Whoever runs one passes its messages back to it only. */
const any = <M extends Message>(lecture: Lecture<M>): Lecture => lecture as unknown as Lecture;

export const lectures = {
  lcr: any(lcr),
  hs: any(hs),
  ring: any(ringElection),
  "ring-flag": any(ringFlag),
  bully: any(bully),
  "bully-known": any(bullyKnown),
  vote: any(majorityVote),
  "time-slice": any(timeSlice),
  "variable-speeds": any(variableSpeeds),
  "itai-rodeh": any(itaiRodeh),
} as const;

export type LectureName = keyof typeof lectures;
