/**
 * Watches an anonymous ring round by round: are all still alike, is anybody elected, has all of this been
 * before?
 *
 * What all remember at the end of a round decides what follows. So when it comes again, the rounds between
 * come again too, for ever.
 */

import { inStep } from "../in-step.ts";
import type { Message, Process } from "../process.ts";

export interface Alike {
  /** What all remembered after each round, and before the first; where they differ, all of them. */
  readonly rounds: readonly string[];
  readonly alike: boolean;
  readonly elected: number;
  /** The round whose end was as this last one; null when it ended before that. */
  readonly repeats: number | null;
}

interface Watched<M extends Message> extends Process<M> {
  readonly fingerprint: string;
}

export function watchAlike<M extends Message>(processes: readonly Watched<M>[]): Alike {
  const look = (): string => {
    const all = processes.map(({ fingerprint }) => fingerprint);
    return new Set(all).size === 1 ? (all[0] ?? "") : all.join(" | ");
  };
  const rounds = [look()];
  let repeats: number | null = null;
  const { leaders } = inStep({
    processes,
    ids: processes.map(() => 0),
    initiators: [],
    rounds: true,
    until() {
      const now = look();
      const before = rounds.indexOf(now);
      rounds.push(now);
      if (before === -1) return false;
      repeats = before;
      return true;
    },
  });
  return { rounds, alike: !rounds.some((round) => round.includes("|")), elected: leaders.length, repeats };
}
