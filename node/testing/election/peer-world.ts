/**
 * Three servers of a classic election among peers, and everything that can happen to them; what is demanded
 * of every such election.
 */

import { ensemble, type ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { milliseconds } from "../../core/time.ts";
import type { Seat } from "../../election/entry.ts";
import { agree } from "./contest-world.ts";
import { type Explored, explore } from "./explore.ts";
import { scripted } from "./scripted-judge.ts";
import { type Copy, SmallWorld, type SmallWorldOptions } from "./small-world.ts";

const servers = ensemble([1, 2, 3]);

/** Timers tell nothing of how long they wait: that there is a wait, and that it ends, is all that matters. */
export const SOME_TIME = milliseconds(1);

export type PeerSetting<Message, State> = Pick<
  SmallWorldOptions<Message, State>,
  "timersFire" | "retries" | "crashes" | "breaks" | "askAgain" | "allAsked"
> &
  Partial<Pick<SmallWorldOptions<Message, State>, "complainOfEnd">> & {
    /** Greater is better; the greatest id is best, unless told otherwise. */
    readonly score?: (self: ServerId) => number;
    readonly mutant?: Mutant | null;
    readonly most?: number;
  };

/** Whoever looks for a leader goes on looking: its next try is only a matter of time. */
export const nobodyIsStuck: SmallWorldOptions<never, never>["complainOfEnd"] = (leaders, retrying) => {
  const stuck = [...leaders].find(([server, leader]) => leader === null && !retrying.has(server));
  return stuck === undefined ? null : `p${stuck[0]} knows no leader, and waits for nothing`;
};

export function everything<Message, State>(
  sit: (seat: Seat, state: State | null) => Copy<Message, State>,
  {
    score = (self) => self * 10,
    mutant = null,
    complainOfEnd = agree,
    most,
    ...world
  }: PeerSetting<Message, State>,
): Explored {
  const enter = (self: ServerId, state: State | null): Copy<Message, State> =>
    sit({ self, servers, judge: scripted({ score: score(self) }), mutant }, state);
  return explore(
    new SmallWorld({ ...world, servers, enter, complainOfEnd, oneEachRound: true, heirs: true }),
    most,
  );
}
