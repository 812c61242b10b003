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
  const quorum = majority(reached.length);
  let greatest = 0;
  for (const candidate of reached) {
    if (candidate <= greatest) continue;
    let there = 0;
    for (const other of reached) if (other >= candidate) there += 1;
    if (there >= quorum) greatest = candidate;
  }
  return greatest;
}
