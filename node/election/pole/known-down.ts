/**
 * What it changes to know who is down: nobody waits for the dead, and nobody elects them.
 *
 * To the letter of the paper everybody is waited for until the time is up, everybody counts who was heard at
 * all, and a vote holds for the whole round. With it who is down is not waited for, and who is far away is
 * waited for longer; only who proposed in this very round counts; the dead have no vote; and a candidate that
 * died ends the round.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Round } from "../../core/score.ts";
import { type Duration, seconds } from "../../core/time.ts";
import { sameLeader } from "../vote.ts";
import type { PoleVote, Proposal } from "./message.ts";
import type { PoleState } from "./state.ts";

export interface KnownDownOptions {
  readonly self: ServerId;
  readonly servers: readonly ServerId[];
  /** Off is the paper to the letter. */
  readonly isOn: boolean;
  /** See `Seat`. */
  readonly reach: (server: ServerId) => Duration | null;
  /** The election's own. */
  readonly state: PoleState;
}

export class KnownDown {
  readonly #self: ServerId;
  readonly #servers: readonly ServerId[];
  readonly #isOn: boolean;
  readonly #reach: (server: ServerId) => Duration | null;
  readonly #state: PoleState;

  constructor({ self, servers, isOn, reach, state }: KnownDownOptions) {
    this.#self = self;
    this.#servers = servers;
    this.#isOn = isOn;
    this.#reach = reach;
    this.#state = state;
  }

  /** A connection began. */
  add(server: ServerId): void {
    const state = this.#state;
    state.down = state.down.filter((other) => other !== server);
    state.objected = state.objected.filter((other) => other !== server);
  }

  /** A connection ended, and with it its server's vote. */
  remove(server: ServerId): void {
    const state = this.#state;
    state.down = [...state.down.filter((other) => other !== server), server];
    if (this.#isOn) state.votes = state.votes.filter(({ from }) => from !== server);
  }

  /** The round is for one whose connection has just ended. */
  hasLost(candidate: ServerId): boolean {
    return this.#isOn && this.#state.proposal?.candidate === candidate;
  }

  /**
   * A candidate that is known to be dead ends the round. Once for each time that its connection ends: it may
   * be in reach of others, who go on proposing it.
   */
  objectsTo({ candidate }: Proposal): boolean {
    const { down, objected } = this.#state;
    return this.#isOn && down.includes(candidate) && !objected.includes(candidate);
  }

  /** For its sake a round is begun. */
  object(candidate: ServerId): void {
    this.#state.objected = [...this.#state.objected, candidate];
  }

  /** Does one count who was heard with a proposal of this round, or with a vote (null)? */
  counts(proposed: Round | null): boolean {
    return !this.#isOn || proposed === this.#state.round;
  }

  /** Who has not been heard in this round, and still may be. */
  get awaited(): readonly ServerId[] {
    const { proposalSet, down } = this.#state;
    const missing = this.#servers.filter((server) => !proposalSet.includes(server));
    return this.#isOn ? missing.filter((server) => !down.includes(server)) : missing;
  }

  /** At least so long, and until a question and its answer have had time to reach these, twice. */
  patience(least: Duration, servers: readonly ServerId[]): Duration {
    if (!this.#isOn) return least;
    const reaches = servers.map((server) => this.#reach(server) ?? 0);
    return Math.max(least, Math.min(2 * Math.max(0, ...reaches), LONGEST)) as Duration;
  }

  /** 57 and 58. Of each server only its last vote is held, so here all of them speak of now. */
  agree(a: PoleVote, b: PoleVote): boolean {
    return sameLeader(a, b) && (this.#isOn || a.round === b.round);
  }

  /** Who elected itself does not lead yet, and a quorum that follows another will not come. */
  get awaitsQuorum(): boolean {
    const { leader, led } = this.#state;
    return this.#isOn && leader === this.#self && !led;
  }
}

/** Nobody is so far away on Earth, and who answers this late would lead badly. */
const LONGEST = seconds(5);
