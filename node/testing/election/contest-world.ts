/**
 * Three servers of a ring, and everything that can happen to them; what is demanded of every such election.
 */

import { ensemble, type ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { milliseconds } from "../../core/time.ts";
import { Contest } from "../../election/medium/contest.ts";
import type { Rules } from "../../election/medium/contest-rules.ts";
import type { ContestMessage, Token } from "../../election/medium/contest-message.ts";
import type { ContestState } from "../../election/medium/contest-state.ts";
import { Ring, type RingMessage } from "../../election/medium/ring.ts";
import type { Order } from "../../election/options.ts";
import { type Explored, explore } from "./explore.ts";
import { scripted } from "./scripted-judge.ts";
import { SmallWorld, type SmallWorldOptions } from "./small-world.ts";

const servers = ensemble([1, 2, 3]);

interface Remembered<T extends Token, Tour> {
  readonly contest: ContestState<T, Tour>;
  readonly connected: readonly ServerId[];
}

export type ContestSetting<T extends Token, Tour> = Pick<
  SmallWorldOptions<RingMessage<ContestMessage<T>>, Remembered<T, Tour>>,
  "timersFire" | "retries" | "crashes" | "breaks" | "askAgain"
> & {
  readonly rules: Rules<T, Tour>;
  /** Greater is better; the greatest id is best, unless told otherwise. */
  readonly score?: (self: ServerId) => number;
  readonly order?: Order;
  readonly mutant?: Mutant | null;
  /** What is wrong with an outcome, or null: all that live follow one that lives, unless told otherwise. */
  readonly complainOfEnd?: (leaders: Outcome) => string | null;
  readonly most?: number;
};

export type Outcome = ReadonlyMap<ServerId, ServerId | null>;

const say = (leaders: Outcome): string =>
  `they end with ${[...leaders].map(([server, leader]) => `p${server}: p${leader}`).join(", ")}`;

export const allFollow =
  (leader: ServerId) =>
  (leaders: Outcome): string | null =>
    [...leaders.values()].every((other) => other === leader) ? null : say(leaders);

/** One leader, and it lives; one that is left alone has none. */
export const agree = (leaders: Outcome): string | null => {
  const [leader] = leaders.values();
  return leader && leaders.has(leader) ? allFollow(leader)(leaders) : say(leaders);
};

export function everything<T extends Token, Tour>({
  rules,
  score = (self) => self * 10,
  order = "ids",
  mutant = null,
  complainOfEnd = agree,
  most,
  ...world
}: ContestSetting<T, Tour>): Explored {
  const enter = (self: ServerId, state: Remembered<T, Tour> | null) => {
    const judge = scripted({ score: score(self) });
    // Timers tell nothing of how long they wait: that they may fire is all that matters here.
    const options = { self, servers, judge, mutant, retry: milliseconds(0), gather: milliseconds(0) };
    const contest = new Contest(options, rules, state?.contest);
    const ring = new Ring({ self, servers, order }, contest, state?.connected);
    return { automaton: ring, state: () => ({ contest: contest.state, connected: ring.connected }) };
  };
  const demands = { servers, enter, complainOfEnd, oneEachRound: true, quorumStands: true };
  return explore(new SmallWorld({ ...world, ...demands }), most);
}
