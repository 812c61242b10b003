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
import { type Epoch, NO_EPOCH, type Zxid } from "../core/zxid.ts";

export interface Candidate {
  readonly id: ServerId;
  readonly currentEpoch: Epoch;
  readonly lastZxid: Zxid;
}

/** A tie is the own one: equal epoch and equal zxid are equal histories, and nothing has to be fetched. */
export function newest(own: Candidate, others: Iterable<Candidate>, mutant: Mutant | null = null): Candidate {
  if (mutant === "no-pull") return own;
  let best = own;
  for (const other of others) if (isNewer(other, best, mutant)) best = other;
  return best;
}

/**
 * Whether these have everything that may have been acknowledged. A server of no epoch is new, or has lost the
 * disk that it acknowledged writes with: it counts when nobody is missing, or where it was said that there is
 * no epoch yet (`initial`) and nobody knows better.
 */
export function holdsAll(members: readonly Candidate[], servers: number, initial: boolean): boolean {
  const known = members.filter(({ currentEpoch }) => currentEpoch > NO_EPOCH).length;
  const allCount = members.length === servers || (initial && known === 0);
  return (allCount ? members.length : known) >= majority(servers);
}

function isNewer(a: Candidate, b: Candidate, mutant: Mutant | null): boolean {
  if (a.currentEpoch !== b.currentEpoch && mutant !== "pull-by-zxid-alone") {
    return a.currentEpoch > b.currentEpoch;
  }
  return a.lastZxid > b.lastZxid;
}
