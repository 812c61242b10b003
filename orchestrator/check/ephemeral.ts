/**
 * No ephemeral outlives its session: a synced read that was asked for after the session was known to be over
 * shows none of its znodes.
 */

import { describe, entriesOf, type History, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function ephemeralsEnd(history: History): Finding {
  const ends = new Map(entriesOf(history, "end").map(({ session, at }) => [session, at]));
  const wrong: string[] = [];
  for (const read of entriesOf(history, "read").filter(isWitness)) {
    const owner = read.sight?.owner ?? null;
    const end = owner === null ? undefined : ends.get(owner);
    if (end !== undefined && end < read.invoked) {
      wrong.push(`its session ${owner} was over at ${end}: ${describe(read)}`);
    }
  }
  return finding("no ephemeral outlives its session", ends.size, wrong);
}

const isWitness = ({ outcome, synced }: OperationOf<"read">): boolean => outcome === "ok" && synced;
