/**
 * No ephemeral outlives its session: a synced read that was asked for after the session was known to be over
 * shows none of its znodes. A read says something about it when it shows a znode of a session that has ended,
 * or comes after an end, so that it could have shown one.
 */

import { describe, entriesOf, type History, type OperationOf } from "./history.ts";
import { type Finding, finding } from "./verdict.ts";

export function ephemeralsEnd(history: History): Finding {
  const ends = new Map(entriesOf(history, "end").map(({ session, at }) => [session, at]));
  const first = Math.min(...ends.values());
  const wrong: string[] = [];
  let witnesses = 0;
  for (const read of entriesOf(history, "read").filter(isSynced)) {
    const owner = read.sight?.owner ?? null;
    const end = owner === null ? undefined : ends.get(owner);
    if (end !== undefined || first < read.invoked) witnesses += 1;
    if (end !== undefined && end < read.invoked) {
      wrong.push(`its session ${owner} was over at ${end}: ${describe(read)}`);
    }
  }
  return finding("no ephemeral outlives its session", witnesses, wrong);
}

const isSynced = ({ outcome, synced }: OperationOf<"read">): boolean => outcome === "ok" && synced;
