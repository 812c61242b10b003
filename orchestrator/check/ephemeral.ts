/**
 * No ephemeral outlives its session: a synced read that was asked for after the session was known to be over
 * shows none of its znodes.
 */

import { describe, entriesOf, type History, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function ephemeralsEnd(history: History): Finding {
  const ends = new Map(entriesOf(history, "end").map(({ session, at }) => [session, at]));
  const wrong: string[] = [];
  const witnesses = entriesOf(history, "read").filter(isWitness);
  for (const read of witnesses) {
    const owner = read.sight?.owner ?? null;
    const end = owner === null ? undefined : ends.get(owner);
    if (end !== undefined && end < read.invoked) {
      wrong.push(`its session ${owner} was over at ${end}: ${describe(read)}`);
    }
  }
  const operations = ends.size === 0 ? 0 : witnesses.length;
  return finding("no ephemeral outlives its session", operations, wrong);
}

const isWitness = ({ outcome, synced }: OperationOf<"read">): boolean => outcome === "ok" && synced;
