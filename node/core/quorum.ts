/**
 * A quorum is a majority: any two share a server, and that shared server is why nothing acknowledged is ever
 * lost.
 */

/** The fewest servers of an ensemble of `size` that are a quorum. */
export const majority = (size: number): number => Math.floor(size / 2) + 1;

/**
 * The greatest value that a quorum has reached, given what each server of the ensemble has reached.
 * With 5 servers at 9 7 7 4 2 it is 7: three of them are at 7 or beyond.
 */
export function reachedByQuorum(reached: readonly number[]): number {
  // Sorted by insertion: there are seven of them at most, and a leader asks at the end of every turn.
  const descending: number[] = [];
  for (const value of reached) {
    let place = descending.length;
    for (; place > 0 && (descending[place - 1] as number) < value; place--) {
      descending[place] = descending[place - 1] as number;
    }
    descending[place] = value;
  }
  return descending[majority(reached.length) - 1] ?? 0;
}
