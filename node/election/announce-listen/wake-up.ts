/**
 * How long who begins is silent, and what it claims when it speaks: the two things in which the elections of
 * this folder differ.
 *
 * By chance, uniform or late rather than early; by chance, and the earliest leads (LE-M); or by what a member
 * is worth, so that whoever is to lead mostly speaks first and spares the others their announcements.
 */

import type { MemberId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";
import { type Duration, microseconds } from "../../core/time.ts";

export interface Wake {
  readonly wait: Duration;
  readonly rank: number;
}

/** Within `most`, which is T_S. */
export type WakeUp = (most: Duration, random: Random, self: MemberId) => Wake;

/** Each moment is as likely as any other; the address alone decides who leads. */
export const uniform: WakeUp = (most, random) => ({ wait: microseconds(random.unit() * most), rank: 0 });

/**
 * A density that grows as e^(x t / T_S): few wake early, and among many some still do (Nonnenmacher and
 * Biersack's timers for feedback). With x = 0 it is uniform.
 */
export const late =
  (x: number): WakeUp =>
  (most, random, self) => {
    if (x === 0) return uniform(most, random, self);
    const share = Math.log(1 + random.unit() * Math.expm1(x)) / x;
    return { wait: microseconds(Math.min(share, 1) * most), rank: 0 };
  };

/** Uniform; the earlier, the more it claims. */
export const earliest: WakeUp = (most, random) => {
  const wait = microseconds(random.unit() * most);
  return { wait, rank: RANKS - Math.floor((wait / Math.max(most, 1)) * RANKS) };
};

/** Every address has a slot of its own, the greatest the first; beyond so many they share it. */
export const bySlot =
  (slots: number): WakeUp =>
  (most, random, self) => {
    const slot = slots - Math.min(self, slots);
    return { wait: microseconds(((slot + random.unit()) / slots) * most), rank: 0 };
  };

/**
 * By a share of the best, 0 to 1, that somebody judged this member to be worth: who is best speaks at once.
 */
export const byWorth =
  (worth: number): WakeUp =>
  (most) => ({ wait: microseconds((1 - worth) * most), rank: Math.round(worth * RANKS) });

/** As fine as a rank is; twice as many fit its 32 bits. */
const RANKS = 2 ** 31;
