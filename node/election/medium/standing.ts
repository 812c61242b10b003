/**
 * The znodes of those who stand: each has one that is gone with its session, and the service numbers them in
 * the order in which they came.
 *
 *   <owner>-<life>-<session>-<number>    8 hexadecimal digits, a count from 1, ten digits
 *
 * The part before the number belongs to one session of one life, so that its owner finds its own even when it
 * was never told that it was made. Other programs may put what they like in front: the last ten digits count.
 * Some of them look at what stands right before the number, and take part with those only that have the same
 * word there: with such a word, as `latch-`, all can stand in one election.
 */

import type { Facts } from "../../telemetry/facts.ts";

export interface Standing {
  readonly name: string;
  readonly number: number;
  /** Null where another program stands. */
  readonly owner: string | null;
}

export const prefixOf = (owner: string, life: number, session: number, word = ""): string =>
  `${owner}-${life.toString(16).padStart(8, "0")}-${session}-${word}`;

/** What a member tells when the one who leads, by this znode, has its own name. */
export const namesake = (path: string): Facts => ({
  name: "waits for its earlier session",
  path,
  todo: "it ends with its timeout; if another process has this name, give each its own",
});

/** In the order in which they came; what has no number does not stand. */
export function standingsOf(names: readonly string[]): readonly Standing[] {
  return names.flatMap((name) => standingOf(name) ?? []).sort((a, b) => a.number - b.number);
}

/** Null when it has no number. */
export function standingOf(name: string): Standing | null {
  const digits = /\d{10}$/.exec(name)?.[0];
  if (digits === undefined) return null;
  const owner = /^(.+)-[0-9a-f]{8}-\d+-[a-z_]*-?\d{10}$/.exec(name)?.[1] ?? null;
  return { name, number: Number(digits), owner };
}
