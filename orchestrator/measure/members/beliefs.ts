/**
 * Whom the members of a group took for the leader, told again from their events: when all that lived agreed
 * on one that lived, and who had heard of it.
 */

import type { MemberEvent } from "../../recording/recording.ts";

/** All that lived agreed on one that lived, from one moment until just before another. */
export interface Agreement {
  readonly leader: number;
  readonly from: number;
  readonly to: number;
}

export class Beliefs {
  /** By member; only of the living. */
  readonly leaders = new Map<number, number>();
  /** How many follow each. */
  readonly #followers = new Map<number, number>();

  see(told: MemberEvent): void {
    if (told.event === "elected") this.#believe(told.member, told.leader);
    else if (told.event === "ended") this.#believe(told.member, null);
  }

  /** The one that all follow who live, itself among them; null when there is none. */
  get agreed(): number | null {
    const [leader] = this.#followers.keys();
    return this.#followers.size === 1 && leader !== undefined && this.leaders.has(leader) ? leader : null;
  }

  /** How many take themselves for the leader. */
  get claimants(): number {
    let count = 0;
    for (const [member, leader] of this.leaders) if (member === leader) count += 1;
    return count;
  }

  followersOf(leader: number): number {
    return this.#followers.get(leader) ?? 0;
  }

  #believe(member: number, leader: number | null): void {
    const before = this.leaders.get(member);
    if (before !== undefined) {
      const left = this.followersOf(before) - 1;
      if (left === 0) this.#followers.delete(before);
      else this.#followers.set(before, left);
    }
    if (leader === null) this.leaders.delete(member);
    else {
      this.leaders.set(member, leader);
      this.#followers.set(leader, this.followersOf(leader) + 1);
    }
  }
}

/** What lasted no time is no agreement: within one moment beliefs come one after another. */
export function agreements(events: readonly MemberEvent[], end: number): readonly Agreement[] {
  const beliefs = new Beliefs();
  const found: Agreement[] = [];
  let open: { leader: number; from: number } | null = null;
  const close = (to: number): void => {
    if (open !== null && to > open.from) found.push({ ...open, to });
    open = null;
  };
  for (const told of events) {
    beliefs.see(told);
    const leader = beliefs.agreed;
    if (leader === (open as { leader: number } | null)?.leader) continue;
    close(told.at);
    if (leader !== null) open = { leader, from: told.at };
  }
  close(end);
  return found;
}
