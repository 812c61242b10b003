/**
 * Standing succession: who would lead next is known before the leader dies.
 *
 * Whoever is led tells its leader now and then how good a leader it would be, and the leader tells all whom
 * it takes for the best: the heir. When its connection ends, each follows the heir at once, without a word:
 * the heir leads, the others join it. It is a guess like every election's, so nothing hangs on its being
 * right. Where it is stale or contradicted the full election goes on.
 */

import type { Effect } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import { majority } from "../../core/quorum.ts";
import { isNear, type Judge, round, type Score } from "../../core/score.ts";
import { type Instant, milliseconds } from "../../core/time.ts";
import type { ElectionProtocol } from "../election.ts";
import { compareKeys } from "../key.ts";
import type { PoleMessage, PoleVote, Standing } from "./message.ts";
import type { PoleState } from "./state.ts";

/** How good a leader each server would be, as it told last. */
export type Standings = readonly { readonly server: ServerId; readonly score: Score }[];

export const withStanding = (standings: Standings, server: ServerId, score: Score): Standings => [
  ...standings.filter((other) => other.server !== server),
  { server, score },
];

/**
 * The best of those that are up. Who is the heir stays it while it is as good as the best but for noise, so
 * that two equals do not take turns.
 */
export function heirOf(
  judge: Judge,
  standings: Standings,
  down: readonly ServerId[],
  present: ServerId | null,
): ServerId | null {
  const living = standings.filter(({ server }) => !down.includes(server));
  const [best] = living.toSorted((a, b) => compareKeys(judge, b, a));
  const holder = living.find(({ server }) => server === present);
  if (best === undefined) return null;
  return holder !== undefined && isNear(holder.score, best.score) ? holder.server : best.server;
}

export const STANDING = "standing";
/** Distances and loads change slowly; what has not changed is not told again. */
const STANDING_EVERY = milliseconds(200);

export interface SuccessionOptions {
  readonly self: ServerId;
  readonly servers: readonly ServerId[];
  readonly judge: Judge;
  /** The election's own. */
  readonly state: PoleState;
  readonly effect: (effect: Effect<ElectionProtocol<PoleMessage>>) => void;
}

/** What an election knows and says of heirs while it is led; and who speaks for one, or against it, after. */
export class Succession {
  readonly #self: ServerId;
  readonly #servers: readonly ServerId[];
  readonly #judge: Judge;
  readonly #state: PoleState;
  readonly #effect: SuccessionOptions["effect"];

  constructor({ self, servers, judge, state, effect }: SuccessionOptions) {
    this.#self = self;
    this.#servers = servers;
    this.#judge = judge;
    this.#state = state;
    this.#effect = effect;
  }

  /** A leader is served. */
  begin(now: Instant): void {
    this.#state.told = null;
    this.#state.standings = [];
    this.stand(now);
  }

  /**
   * A leader looks whether there is a better heir; who follows tells its leader how good a one it would be.
   */
  stand(now: Instant): void {
    const state = this.#state;
    const { leader, led } = state;
    if (!led || leader === null) return;
    this.#effect({ kind: "arm", timer: STANDING, after: STANDING_EVERY });
    if (leader === this.#self) this.#choose();
    else if (this.#judge.ready(now)) {
      const score = this.#judge.score(round(state.round + 1), now);
      if (state.told !== null && isNear(score, state.told)) return;
      state.told = score;
      this.#say([leader], { kind: "standing", round: state.round, score });
    }
  }

  hear(from: ServerId, { score }: Standing): void {
    const state = this.#state;
    if (!state.led || state.leader !== this.#self) return;
    const before = state.heir;
    state.standings = withStanding(state.standings, from, score);
    this.#choose();
    // It may have come after the others were told.
    if (before !== null && before === state.heir)
      this.#say([from], { kind: "heir", round: state.round, heir: before });
  }

  /** Whom to follow at once, the leader's connection having ended; null where that is not known. */
  get heir(): ServerId | null {
    const { leader, led, heir, down } = this.#state;
    if (leader === null || !led || !down.includes(leader)) return null;
    return heir === null || down.includes(heir) ? null : heir;
  }

  /** With this server a quorum follows it as an heir, and not since it led before. */
  get isCalled(): boolean {
    const { votes, followed, leader } = this.#state;
    if (leader !== null) return false;
    const isNew = (vote: PoleVote): boolean =>
      followed === null || followed.leader !== this.#self || vote.round > followed.round;
    const callers = votes.filter(({ vote }) => vote.leader === this.#self && isNew(vote));
    return callers.length + 1 >= majority(this.#servers.length);
  }

  /** Another is taken for the heir; who has not noticed yet that a leader is dead still votes for it. */
  isContradictedBy({ leader, round: inRound }: PoleVote): boolean {
    const { succeeds, down, round: own } = this.#state;
    if (succeeds === null || leader === this.#self || leader === succeeds) return false;
    return inRound >= own && !down.includes(leader);
  }

  #choose(): void {
    const state = this.#state;
    const heir = heirOf(this.#judge, state.standings, state.down, state.heir);
    if (heir === null || heir === state.heir) return;
    state.heir = heir;
    const others = this.#servers.filter((server) => server !== this.#self);
    this.#say(others, { kind: "heir", round: state.round, heir });
  }

  #say(to: readonly ServerId[], message: PoleMessage): void {
    this.#effect({ kind: "send", to, message });
  }
}
