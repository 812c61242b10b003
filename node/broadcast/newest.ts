/**
 * Whose history is the newest? Among a quorum, that one holds everything that any earlier leader may have
 * acknowledged.
 *
 * First the epoch that a server is a member of, then the last zxid. The zxid alone would not do: a server may
 * have logged a transaction of epoch 3 that nobody else has, while a quorum went on to epoch 4 without it and
 * wrote nothing yet.
 */

import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import { majority } from "../core/quorum.ts";
import type { Epoch, Zxid } from "../core/zxid.ts";

export interface Candidate {
  readonly id: ServerId;
  readonly currentEpoch: Epoch;
  readonly lastZxid: Zxid;
  readonly member: boolean;
}

/** A tie is the own one: equal epoch and equal zxid are equal histories, and nothing has to be fetched. */
export function newest(own: Candidate, others: Iterable<Candidate>, mutant: Mutant | null = null): Candidate {
  if (mutant === "no-pull") return own;
  let best = own;
  for (const other of others) if (isNewer(other, best, mutant)) best = other;
  return best;
}

/** Whether these have everything that may have been acknowledged: a quorum of them has forgotten nothing. */
export const holdsAll = (candidates: readonly Candidate[], servers: number): boolean =>
  candidates.filter(({ member }) => member).length >= majority(servers);

function isNewer(a: Candidate, b: Candidate, mutant: Mutant | null): boolean {
  if (a.currentEpoch !== b.currentEpoch && mutant !== "pull-by-zxid-alone") {
    return a.currentEpoch > b.currentEpoch;
  }
  return a.lastZxid > b.lastZxid;
}
