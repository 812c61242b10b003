/**
 * The znodes of those who stand: each has one that is gone with its session, and the service numbers them in
 * the order in which they came. The least number leads.
 *
 *   p<member>-<life>-<session>-<number>    8 hexadecimal digits, a count from 1, ten digits
 *
 * The part before the number is its owner's alone, so that it finds its own even when it was never told that
 * it was made. Other programs may put what they like in front: the last ten digits count.
 */

import { MAX_MEMBER_ID, type MemberId, memberId } from "../../core/identity.ts";

export interface Standing {
  readonly name: string;
  readonly number: number;
  /** Null where another program stands. */
  readonly member: MemberId | null;
}

export const prefixOf = (member: MemberId, life: number, session: number): string =>
  `p${member}-${life.toString(16).padStart(8, "0")}-${session}-`;

/** In the order in which they came; what has no number does not stand. */
export function standingsOf(names: readonly string[]): readonly Standing[] {
  return names.flatMap(standingOf).sort((a, b) => a.number - b.number);
}

function standingOf(name: string): Standing[] {
  const digits = /\d{10}$/.exec(name)?.[0];
  if (digits === undefined) return [];
  const member = Number(/^p(\d{1,5})-[0-9a-f]{8}-\d+-\d{10}$/.exec(name)?.[1] ?? 0);
  const isOurs = member >= 1 && member <= MAX_MEMBER_ID;
  return [{ name, number: Number(digits), member: isOurs ? memberId(member) : null }];
}
