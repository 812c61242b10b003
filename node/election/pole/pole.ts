/**
 * POLE: the server with the best score leads (Becker, Junqueira, Serafini 2011, Algorithm 1).
 *
 * Everybody asks its own oracle for a score and tells it to all. Whoever hears of a better candidate than the
 * one it proposed proposes that one, to all again. When all have proposed, or some time after a quorum has,
 * the best candidate heard of is the leader. Who already has a leader answers a proposal with a vote, and a
 * quorum of equal votes, the leader's own among them, settles it for one who comes late.
 *
 * Numbers in comments are the lines of the listing. Its `epoch` is called a round here, "to all" includes
 * oneself (the host delivers nothing to oneself, so what a server says to itself is done at once), and bottom
 * is null. What knowing the dead changes in it is in `known-down.ts`, who is followed without it in
 * `succession.ts`.
 */

import { assert, unreachable } from "../../core/assert.ts";
import type { Automaton, Effect, Input } from "../../core/automaton.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { majority } from "../../core/quorum.ts";
import { type Judge, type Round, round } from "../../core/score.ts";
import { type Duration, type Instant, milliseconds } from "../../core/time.ts";
import type { ElectionOutput, ElectionProtocol } from "../election.ts";
import { candidate } from "../../telemetry/facts.ts";
import { compareKeys, type Key } from "../key.ts";
import { armRetry, doubled, RETRY } from "../retry.ts";
import { settledBy, withVote } from "../vote.ts";
import { KnownDown } from "./known-down.ts";
import { flawOf, type PoleMessage, type PoleVote, type Proposal } from "./message.ts";
import { initialState, type PoleState } from "./state.ts";
import { STANDING, Succession } from "./succession.ts";
import { heard } from "./tell.ts";

export interface PoleOptions {
  readonly self: ServerId;
  /** The whole ensemble in ascending order, this server included. */
  readonly servers: readonly ServerId[];
  readonly judge: Judge;
  /**
   * `T`: how long proposals are still waited for once a quorum has proposed. With `knownDown` it is the
   * least: where whoever is missing is farther away, it is waited for as long as a question and its answer
   * take twice.
   */
  readonly timeout?: Duration;
  /**
   * The first wait before what was said is said again; each further one is twice as long. T, as in line 15.
   */
  readonly retry?: Duration;
  /** See `Seat`. */
  readonly reach?: (server: ServerId) => Duration | null;
  /** Wait for nobody known to be down, and for everybody else's proposal. Off is the paper to the letter. */
  readonly knownDown?: boolean;
  /** Follow whom the dead leader took for the best, where that is known; with `knownDown` only. */
  readonly succession?: boolean;
  readonly mutant?: Mutant | null;
}

type PoleProtocol = ElectionProtocol<PoleMessage>;

/** Shorter than anyone notices; who is farther away is given longer. */
export const DEFAULT_TIMEOUT = milliseconds(200);

export class PoleElection implements Automaton<PoleProtocol> {
  readonly #self: ServerId;
  readonly #servers: readonly ServerId[];
  readonly #others: readonly ServerId[];
  readonly #judge: Judge;
  readonly #timeout: Duration;
  readonly #retry: Duration;
  readonly #knownDown: KnownDown;
  readonly #succession: Succession | null;
  readonly #mutant: Mutant | null;
  readonly #state: PoleState;
  #effects: Effect<PoleProtocol>[] = [];

  /** `state` goes on from where another copy of this server was. */
  constructor(options: PoleOptions, state?: PoleState) {
    const { self, servers, timeout = DEFAULT_TIMEOUT, knownDown = true, reach = () => null } = options;
    assert(servers.includes(self), `server ${self} is not of the ensemble ${servers.join(", ")}`);
    this.#self = self;
    this.#servers = servers;
    this.#others = servers.filter((server) => server !== self);
    this.#judge = options.judge;
    this.#timeout = timeout;
    this.#retry = options.retry ?? timeout;
    this.#mutant = options.mutant ?? null;
    this.#state = { ...(state ?? initialState(this.#retry)) };
    this.#knownDown = new KnownDown({ self, servers, isOn: knownDown, reach, state: this.#state });
    const effect = (one: Effect<PoleProtocol>): void => void this.#effects.push(one);
    this.#succession =
      knownDown && options.succession === true
        ? new Succession({ self, servers, judge: options.judge, state: this.#state, effect })
        : null;
  }

  get state(): Readonly<PoleState> {
    return this.#state;
  }

  step(input: Input<PoleProtocol>, now: Instant): readonly Effect<PoleProtocol>[] {
    this.#effects = [];
    this.#react(input, now);
    if (this.#state.phase === "waiting" && this.#judge.ready(now)) this.#begin(now);
    return this.#effects;
  }

  #react(input: Input<PoleProtocol>, now: Instant): void {
    const state = this.#state;
    switch (input.kind) {
      case "request":
        if (input.request.kind === "elect") this.#elect(now, input.request.heir ?? null);
        else if (input.request.kind === "led") {
          state.led = true;
          state.succeeds = null;
          this.#succession?.begin(now);
        }
        break;
      case "message":
        this.#receive(input.from, input.message, now);
        break;
      case "timeout":
        if (input.timer === STANDING) this.#succession?.stand(now);
        else if (input.timer === RETRY) this.#sayAgain();
        else if (state.phase === "electing") this.#conclude();
        break;
      case "connected":
        this.#knownDown.add(input.server);
        if (input.server === state.succeeds) this.#stepBack("the leader that it succeeds is back");
        // Nothing said before has reached it.
        if (state.phase === "electing" && state.proposal !== null) this.#say(input.server, state.proposal);
        break;
      case "unreachable":
        this.#knownDown.remove(input.server);
        if (state.phase !== "electing") break;
        if (this.#knownDown.hasLost(input.server)) this.#object(input.server, state.round, now);
        else this.#checkComplete();
        break;
      case "start":
      case "clock":
      case "durable":
      case "turn":
        break;
      default:
        unreachable(input);
    }
  }

  /**
   * Whom the leader named when it gave its place away, and the heir of one whose connection ended, is
   * followed at once; else an election begins.
   */
  #elect(now: Instant, named: ServerId | null): void {
    const state = this.#state;
    const { leader } = state;
    const isNamed = named !== null && !state.down.includes(named);
    const heir = isNamed ? named : (this.#succession?.heir ?? null);
    state.heir = null;
    if (heir === null) {
      this.#newElection(now);
      return;
    }
    state.round = round(state.round + 1);
    const own = this.#ownProposal(now);
    this.#follow(state.round, heir);
    if (heir !== this.#self) {
      // It may not know that it is the heir.
      this.#say(heir, { kind: "vote", round: state.round, leader: heir });
      return;
    }
    // Whoever follows another answers with whom.
    state.succeeds = isNamed ? null : leader;
    state.proposal = own;
    this.#sayToAll();
  }

  /** Who took over as an heir in vain has the full election decide. */
  #stepBack(reason: string): void {
    this.#state.succeeds = null;
    this.#output({ kind: "deposed", reason });
  }

  /** A round anew, without a candidate that is known to be dead. */
  #object(candidate: ServerId, inRound: Round, now: Instant): void {
    this.#knownDown.object(candidate);
    this.#state.round = inRound;
    this.#newElection(now);
  }

  /** 14 to 18. */
  #newElection(now: Instant): void {
    const state = this.#state;
    if (state.phase === "waiting") return;
    state.succeeds = null;
    const first = state.proposal === null;
    state.round = round(state.round + 1);
    state.retryAfter = this.#knownDown.patience(this.#retry, this.#others);
    this.#effects.push(armRetry(state.retryAfter));
    state.leader = null;
    // Only a first score is waited for. Later the oracle has had its chance, and who cannot judge well must
    // take part all the same: without it there may be no quorum.
    if (first && !this.#judge.ready(now)) state.phase = "waiting";
    else this.#begin(now);
  }

  #begin(now: Instant): void {
    const state = this.#state;
    state.phase = "electing";
    state.proposal = this.#ownProposal(now);
    this.#startRound();
  }

  /** 10 to 13: start-epoch. */
  #startRound(): void {
    const state = this.#state;
    state.leader = null;
    state.proposalSet = [];
    state.votes = [];
    // The listing lets the timer of an earlier round end this one; see Divergences.
    if (state.closing) this.#effects.push({ kind: "disarm", timer: "election" });
    state.closing = false;
    this.#sayToAll();
    this.#count(this.#self, state.round);
  }

  /** 20 to 25. While get-score blocks, the timer only asks again whether it still does. */
  #sayAgain(): void {
    const state = this.#state;
    if (state.phase === "electing") {
      this.#sayToAll();
      state.retryAfter = doubled(state.retryAfter);
    } else if (state.phase !== "waiting") return;
    this.#effects.push(armRetry(state.retryAfter));
  }

  #receive(from: ServerId, message: PoleMessage, now: Instant): void {
    const state = this.#state;
    const flaw = flawOf(message, this.#servers);
    if (flaw !== null) {
      this.#effects.push({ kind: "close", server: from, reason: flaw });
      return;
    }
    if (message.kind === "heir") {
      if (from === state.leader) state.heir = message.heir;
      return;
    }
    if (message.kind === "standing") {
      this.#succession?.hear(from, message);
      return;
    }
    // Before its first score a server has nothing to say. What it misses is told again to its first proposal.
    if (state.proposal === null) return;
    if (message.kind === "proposal") this.#receiveProposal(from, message, state.proposal, now);
    else this.#receiveVote(from, message);
  }

  /** 33 to 49. */
  #receiveProposal(from: ServerId, theirs: Proposal, ours: Proposal, now: Instant): void {
    const state = this.#state;
    this.#output({ kind: "observed", facts: heard(from, theirs) });
    if (state.leader !== null) {
      this.#say(from, { kind: "vote", round: state.round, leader: state.leader });
      return;
    }
    if (!this.#precedes(theirs, ours) && this.#knownDown.objectsTo(theirs)) {
      this.#object(theirs.candidate, theirs.round, now);
      return;
    }
    if (this.#precedes(theirs, ours)) this.#say(from, ours);
    else if (theirs.round === state.round) {
      if (this.#precedes(ours, theirs)) {
        state.proposal = theirs;
        this.#sayToAll();
      }
    } else this.#join(theirs, now);
    if (state.leader !== null) return;
    this.#count(from, theirs.round);
  }

  /** 44 to 48: a later round is under way. */
  #join(theirs: Proposal, now: Instant): void {
    const state = this.#state;
    state.round = theirs.round;
    const own = this.#ownProposal(now);
    state.proposal = this.#precedes(own, theirs) ? theirs : own;
    this.#startRound();
  }

  /**
   * 54 to 65. Once a leader is known, `new-election` has returned and a vote can only be late, but for who
   * elected itself and may wait in vain.
   */
  #receiveVote(from: ServerId, vote: PoleVote): void {
    const state = this.#state;
    if (state.leader !== null && !this.#knownDown.awaitsQuorum) return;
    state.votes = withVote(state.votes, from, vote);
    const agree = (a: PoleVote, b: PoleVote): boolean => this.#knownDown.agree(a, b);
    const decided = settledBy(state.votes, this.#servers.length, agree, this.#mutant);
    if (this.#succession?.isCalled === true) this.#follow(state.round, this.#self);
    else if (decided !== null) this.#follow(decided.round, decided.leader);
    else if (state.leader === null) this.#count(from, null);
    else if (this.#succession?.isContradictedBy(vote) === true)
      this.#stepBack(`server ${from} follows server ${vote.leader}`);
  }

  /**
   * 27 to 32: start-timer?. The listing prints {i} in 28; only its argument j makes sense. It counts whoever
   * was heard, even with an old proposal or a vote (`proposed` is not this round).
   */
  #count(from: ServerId, proposed: Round | null): void {
    const state = this.#state;
    if (!this.#knownDown.counts(proposed)) return;
    if (!state.proposalSet.includes(from))
      state.proposalSet = [...state.proposalSet, from].sort((a, b) => a - b);
    this.#checkComplete();
    if (state.leader !== null || state.closing || !this.#isQuorum(state.proposalSet)) return;
    state.closing = true;
    const { awaited } = this.#knownDown;
    const wait = this.#knownDown.patience(this.#timeout, awaited);
    this.#effects.push({ kind: "arm", timer: "election", after: wait });
  }

  /** 29 and 30: nobody is left to wait for. */
  #checkComplete(): void {
    if (this.#knownDown.awaited.length === 0 && this.#isQuorum(this.#state.proposalSet)) this.#conclude();
  }

  /** 50 to 53. */
  #conclude(): void {
    const { proposal, round } = this.#state;
    assert(proposal !== null, "an election ended before it had a candidate");
    this.#follow(round, proposal.candidate);
  }

  #follow(round: Round, leader: ServerId): void {
    const state = this.#state;
    state.phase = "following";
    state.round = round;
    if (this.#succession !== null) state.followed = { round, leader };
    state.leader = leader;
    state.led = false;
    state.heir = null;
    state.succeeds = null;
    state.proposalSet = [];
    if (!this.#knownDown.awaitsQuorum) state.votes = [];
    state.closing = false;
    this.#effects.push({ kind: "disarm", timer: "election" }, { kind: "disarm", timer: RETRY });
    this.#output({ kind: "elected", leader, round });
  }

  /** 17 and 45: get-score. */
  #ownProposal(now: Instant): Proposal {
    const { round } = this.#state;
    const score = this.#judge.score(round, now);
    this.#output({ kind: "observed", facts: candidate(round, score, this.#judge.explain(round, now)) });
    return { kind: "proposal", round, score, candidate: this.#self };
  }

  /** The order of proposals: by round, then by score, then by id. */
  #precedes(a: Proposal, b: Proposal): boolean {
    if (a.round !== b.round) return a.round < b.round;
    if (this.#mutant === "ties-without-id") return this.#judge.compare(a.score, b.score) < 0;
    return compareKeys(this.#judge, keyOf(a), keyOf(b)) < 0;
  }

  #isQuorum(servers: readonly ServerId[]): boolean {
    return servers.length >= majority(this.#servers.length);
  }

  #sayToAll(): void {
    const { proposal } = this.#state;
    assert(proposal !== null, "there is no candidate to propose");
    if (this.#others.length > 0) this.#effects.push({ kind: "send", to: this.#others, message: proposal });
  }

  #say(to: ServerId, message: PoleMessage): void {
    this.#effects.push({ kind: "send", to: [to], message });
  }

  #output(output: ElectionOutput): void {
    this.#effects.push({ kind: "output", output });
  }
}

const keyOf = ({ score, candidate: server }: Proposal): Key => ({ score, server });
