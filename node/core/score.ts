/**
 * A score says how good a leader its server would be; only its oracle can say which of two is the better.
 *
 * It is a short list of numbers, compared in the oracle's own total order: one number for a latency, two for
 * a zxid, more for the paper's vectors of scores (section 5). It is the one thing that oracles and elections
 * share.
 */

import type { ServerId } from "./identity.ts";
import type { Instant } from "./time.ts";

export type Score = readonly number[];

declare const kind: unique symbol;

/** One attempt of an election: the "epoch" of the POLE paper's Algorithm 1, which is not Zab's. */
export type Round = number & { readonly [kind]: "round" };

export const round = (value: number): Round => value as Round;

/** The later of two. */
export const latest = (a: Round, b: Round): Round => (a > b ? a : b);

/** Equal but for what measuring strays by. */
export const isNear = (a: Score, b: Score): boolean =>
  a.length === b.length && a.every((part, at) => Math.abs(part - (b[at] ?? part)) <= NOISE * Math.abs(part));

const NOISE = 0.01;

/** What an election may ask about scores. */
export interface Judge {
  /** Is enough known to judge? A first election waits until it is. */
  ready(now: Instant): boolean;
  /** Who is to lead first, as long as it is waited for; null when nobody said so, or it took too long. */
  stated?(now: Instant): ServerId | null;
  /** How good a leader would this server be, in this round? */
  score(round: Round, now: Instant): Score;
  /**
   * Negative when `a` is worse than `b`, positive when better, 0 when a tie is left to the ids. A total
   * order.
   */
  compare(a: Score, b: Score): number;
  /** The numbers behind the score; for reports. */
  explain(round: Round, now: Instant): Readonly<Record<string, number>>;
}
