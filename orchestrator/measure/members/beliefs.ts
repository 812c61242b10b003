/**
 * Whom the members of a group took for the leader, told again from their events: when all that lived agreed
 * on one that lived, and who had heard of it.
 */

import type { ElectionRecording, Mark, MemberEvent } from "../../recording/recording.ts";

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
  /** Who are to begin and have told of no leader yet: processes take a while. */
  readonly #awaited = new Set<number>();

  await(members: readonly number[]): void {
    for (const member of members) this.#awaited.add(member);
  }

  /** Whom a fault lets begin again is waited for. */
  meet(one: MemberEvent | Mark): void {
    if ("event" in one) this.see(one);
    else if (one.fault.startsWith("restart")) this.await(one.servers);
  }

  see(told: MemberEvent): void {
    if (told.event === "elected") this.#believe(told.member, told.leader);
    else if (told.event === "ended") this.#believe(told.member, null);
  }

  get isComplete(): boolean {
    return this.#awaited.size === 0;
  }

  /** The one that all follow who live, itself among them; null when there is none. */
  get agreed(): number | null {
    if (!this.isComplete) return null;
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
    this.#awaited.delete(member);
    if (leader === null) this.leaders.delete(member);
    else {
      this.leaders.set(member, leader);
      this.#followers.set(leader, this.followersOf(leader) + 1);
    }
  }
}

/** What was told and what was done, in order; what is done at a moment comes before what is told at it. */
export function* whatHappened({ plan, events, marks }: ElectionRecording): Generator<MemberEvent | Mark> {
  yield { at: 0, fault: "restart", servers: plan.subject.initiators };
  let [done, told] = [0, 0];
  while (done < marks.length || told < events.length) {
    const [mark, event] = [marks[done], events[told]];
    if (mark !== undefined && (event === undefined || mark.at <= event.at)) {
      yield mark;
      done += 1;
    } else if (event !== undefined) {
      yield event;
      told += 1;
    }
  }
}

/** What lasted no time is no agreement: within one moment beliefs come one after another. */
export function agreements(recording: ElectionRecording, end: number): readonly Agreement[] {
  const beliefs = new Beliefs();
  const found: Agreement[] = [];
  let open: { leader: number; from: number } | null = null;
  const close = (to: number): void => {
    if (open !== null && to > open.from) found.push({ ...open, to });
    open = null;
  };
  for (const one of whatHappened(recording)) {
    beliefs.meet(one);
    const leader = beliefs.agreed;
    if (leader === (open as { leader: number } | null)?.leader) continue;
    if (one.at > end) break;
    close(one.at);
    if (leader !== null) open = { leader, from: one.at };
  }
  close(end);
  return found;
}
