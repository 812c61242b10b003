/**
 * What an election of the lectures costs with n processes: over all cases where they can be numbered and
 * played, else over some that are drawn, with those that are known to cost least and most. Whoever carries
 * the messages counts; what comes out is held against what is said of the algorithm.
 */

import type { Random } from "#node/core/random.ts";
import { inStep } from "#node/theory/in-step.ts";
import type { Case, Lecture, Theory } from "#node/theory/lecture.ts";
import { carried, knownAt, type Outcome } from "#node/theory/outcome.ts";

export interface Spread {
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

export interface Costs {
  readonly n: number;
  /** How many were played for the mean, and whether those are all. */
  readonly tried: number;
  readonly all: boolean;
  readonly messages: Spread;
  /** When the first and the last knew, in delays of a message. */
  readonly first: Spread;
  readonly last: Spread;
  /** What contradicts what is said of the algorithm. */
  readonly contradictions: readonly string[];
}

/** More cases, or more messages in all, are not played. */
const MOST_CASES = 5040;
const MOST_MESSAGES = 20_000_000;
const DRAWN = { most: 200, least: 3, steps: 2_000_000 } as const;

interface Played {
  readonly messages: number;
  readonly first: number;
  readonly last: number;
}

export function costsOf(lecture: Lecture, n: number, random: Random): Costs {
  const contradictions = new Set<string>();
  const play = (one: Case): Played => {
    const outcome = inStep(lecture.cast(one, null));
    const wrong = flawOf(lecture, one, outcome);
    if (wrong !== null) contradictions.add(wrong);
    const known = knownAt(outcome) ?? { first: Number.NaN, last: Number.NaN };
    return { messages: carried(outcome, ...lecture.counted), ...known };
  };
  const whole = lecture.cases.all(n);
  const all = whole !== null && isFew(whole.count, lecture.theory, n);
  const typical = all ? Array.from(whole.each, play) : drawn(lecture, n, random, play);
  const extreme = all ? [] : lecture.cases.extreme(n).map(play);
  const spread = (of: (one: Played) => number): Spread => ({
    least: least([...typical, ...extreme].map(of)),
    mean: typical.reduce((sum, one) => sum + of(one), 0) / typical.length,
    most: -least([...typical, ...extreme].map((one) => -of(one))),
  });
  const messages = spread((one) => one.messages);
  for (const said of against(lecture.theory, n, messages, all)) contradictions.add(said);
  return {
    n,
    tried: typical.length,
    all,
    messages,
    first: spread(({ first }) => first),
    last: spread(({ last }) => last),
    contradictions: [...contradictions],
  };
}

function isFew(count: number, { worst }: Theory, n: number): boolean {
  return count <= MOST_CASES && count * (worst?.of(n) ?? n * n) <= MOST_MESSAGES;
}

function drawn(lecture: Lecture, n: number, random: Random, play: (one: Case) => Played): readonly Played[] {
  const played: Played[] = [];
  let steps = 0;
  while (played.length < DRAWN.most && (played.length < DRAWN.least || steps < DRAWN.steps)) {
    const one = play(lecture.cases.drawn(n, random));
    // In rounds everybody steps in each of them.
    steps += one.messages + (lecture.timing === "rounds" ? n * one.last : 0);
    played.push(one);
  }
  return played;
}

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), Infinity);

/** One leads, whom it should be, and all that live follow it. */
function flawOf({ leader }: Lecture, { ids, dead, initiators }: Case, outcome: Outcome): string | null {
  const led = outcome.leaders.map(({ place }) => ids[place]);
  if (outcome.undecided > 0) return `${outcome.undecided} of ${ids.length} never knew who leads`;
  if (led.length !== 1) return `${led.length} of ${ids.length} took themselves for the leader`;
  const right = leader?.(ids, dead, initiators) ?? led[0];
  return led[0] === right ? null : `${led[0]} leads, and ${right} should`;
}

function against(
  { best, mean, worst }: Theory,
  n: number,
  messages: Spread,
  all: boolean,
): readonly string[] {
  const found: string[] = [];
  const [low, middle, high] = [best, mean, worst].map((law) => law?.of(n) ?? null);
  if (typeof low === "number" && messages.least < low)
    found.push(`n = ${n}: ${messages.least} messages, and ${low} should be the least`);
  if (typeof high === "number" && messages.most > high)
    found.push(`n = ${n}: ${messages.most} messages, and ${high} should be the most`);
  if (all && typeof middle === "number" && Math.abs(messages.mean - middle) > 1e-9 * middle)
    found.push(`n = ${n}: ${messages.mean} messages in the mean, and it should be ${middle}`);
  return found;
}
