/**
 * What makes an election of a ring one of a replica: rounds, repair, quorums, and those who come late.
 *
 * The classic algorithms begin together, once, on a ring of which nobody fails. What happens to a token in
 * such a round are an election's `Rules`; here is what goes on around them. An attempt is a round: a later
 * one is joined, an earlier one only answered. A key is drawn once a round. Who gets its own token back leads
 * if a quorum let it pass, and says so all around; that is believed by whoever let the leader's token pass,
 * so nobody follows two in one round. When a neighbour is gone, what was said to it is said to the next; when
 * the one ahead of all is gone, a round begins. Who has a leader lets tokens pass and tells their owners whom
 * it follows: nobody is unseated because somebody else is back.
 */

import { assert, unreachable } from "../../core/assert.ts";
import type { ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { majority } from "../../core/quorum.ts";
import { type Judge, type Round, round } from "../../core/score.ts";
import type { Duration, Instant } from "../../core/time.ts";
import { candidate } from "../../telemetry/facts.ts";
import type { ElectionOutput, ElectionProtocol } from "../election.ts";
import type { Seat } from "../entry.ts";
import { compareKeys } from "../key.ts";
import { armRetry, doubled, RETRY } from "../retry.ts";
import { sameLeader, settledBy, type Vote, withVote } from "../vote.ts";
import { type ContestMessage, type ElectedMessage, flawOf, stamped, type Token } from "./contest-message.ts";
import { type ContestState, hasPassed, initialState, isHeardOf, withHeld } from "./contest-state.ts";
import type { Compare, Happening, Rules } from "./contest-rules.ts";
import type { RingEffect, RingElection, RingInput, Way } from "./ring.ts";

export interface ContestOptions extends Seat {
  /** The first wait before what was said is said again; each further one is twice as long. */
  readonly retry: Duration;
  /** How long who starts waits for those it has not heard of. */
  readonly gather: Duration;
}

const GATHER = "gather";

type Protocol<T extends Token> = ElectionProtocol<ContestMessage<T>>;

export class Contest<T extends Token, Tour> implements RingElection<ContestMessage<T>> {
  readonly #self: ServerId;
  readonly #servers: readonly ServerId[];
  readonly #others: readonly ServerId[];
  readonly #judge: Judge;
  readonly #mutant: Mutant | null;
  readonly #retry: Duration;
  readonly #gather: Duration;
  readonly #rules: Rules<T, Tour>;
  readonly #state: ContestState<T, Tour>;
  #effects: RingEffect<Protocol<T>>[] = [];

  /** `state` goes on from where another copy of this server was. */
  constructor(options: ContestOptions, rules: Rules<T, Tour>, state?: ContestState<T, Tour>) {
    const { self, servers } = options;
    assert(servers.includes(self), `server ${self} is not of the ensemble ${servers.join(", ")}`);
    this.#self = self;
    this.#servers = servers;
    this.#others = servers.filter((server) => server !== self);
    this.#judge = options.judge;
    this.#mutant = options.mutant;
    this.#retry = options.retry;
    this.#gather = options.gather;
    this.#rules = rules;
    this.#state = { ...(state ?? initialState(options.retry, rules.nothing)) };
  }

  get state(): Readonly<ContestState<T, Tour>> {
    return this.#state;
  }

  step(input: RingInput<Protocol<T>>, now: Instant): readonly RingEffect<Protocol<T>>[] {
    this.#effects = [];
    this.#react(input, now);
    if (this.#state.phase === "waiting" && this.#isReady(now)) this.#stand(now);
    return this.#effects;
  }

  /** Everybody has been heard of, or time for that is over, and the oracle knows enough. */
  #isReady(now: Instant): boolean {
    const { gathering } = this.#state;
    return (!gathering || this.#others.every((one) => isHeardOf(this.#state, one))) && this.#judge.ready(now);
  }

  #react(input: RingInput<Protocol<T>>, now: Instant): void {
    const state = this.#state;
    switch (input.kind) {
      case "request":
        if (input.request.kind === "elect") this.#elect(now);
        break;
      case "message":
        this.#receive(input.from, input.way, input.message, now);
        break;
      case "timeout":
        if (input.timer === RETRY) this.#sayAgain(now);
        else this.#endGathering();
        break;
      case "joined":
        state.members = input.members;
        state.down = state.down.filter((server) => server !== input.server);
        break;
      case "left":
        state.members = input.members;
        state.down = [...state.down.filter((server) => server !== input.server), input.server];
        // When the successor is gone, who is the next one is heard right after this.
        if (input.server !== state.successor) this.#checkGreatest(now);
        break;
      case "successor changed":
        this.#repair(input.server, now);
        break;
      case "predecessor changed":
        if (state.phase === "electing" && input.server !== null && this.#mutant !== "gap-not-closed")
          this.#act({ kind: "repaired", way: "back" }, now);
        break;
      case "clock":
      case "start":
      case "durable":
      case "turn":
        break;
      default:
        unreachable(input);
    }
  }

  /** Who takes part already goes on. */
  #elect(now: Instant): void {
    const state = this.#state;
    const { isAsked, followed } = state;
    state.isAsked = true;
    if (state.phase === "electing" || state.phase === "waiting") return;
    if (!isAsked && followed !== null && !state.down.includes(followed.leader)) {
      this.#output({ kind: "elected", ...followed });
      return;
    }
    state.leader = null;
    state.passed = [];
    state.shunned = [];
    state.retryAfter = this.#retry;
    this.#effects.push(armRetry(this.#retry));
    if (state.own !== null) {
      this.#stand(now);
      return;
    }
    // Only the first time: later everybody has been heard of, and the oracle has had its chance.
    state.phase = "waiting";
    state.gathering = true;
    this.#effects.push({ kind: "arm", timer: GATHER, after: this.#gather });
  }

  /** Takes part, with what came before it was asked to. */
  #stand(now: Instant): void {
    const state = this.#state;
    const { held } = state;
    const inRound = round(Math.max(state.round + 1, ...held.map((token) => token.round)));
    this.#begin(inRound, now, !held.some((token) => token.round === inRound));
    for (const { round: inRound, token, way } of held) this.#receiveToken(inRound, token, way, now);
  }

  /** Who still cannot judge holds up nobody any longer. */
  #endGathering(): void {
    const state = this.#state;
    const { held } = state;
    state.gathering = false;
    state.held = [];
    if (state.phase === "waiting") for (const each of held) this.#letPass(each.round, each.token, each.way);
  }

  readonly #newRound = (now: Instant): void => this.#begin(round(this.#state.round + 1), now);

  #begin(inRound: Round, now: Instant, initiates = true): void {
    const state = this.#state;
    const score = this.#judge.score(inRound, now);
    this.#output({ kind: "observed", facts: candidate(inRound, score, this.#judge.explain(inRound, now)) });
    if (state.gathering) this.#effects.push({ kind: "disarm", timer: GATHER });
    state.gathering = false;
    state.held = [];
    state.phase = "electing";
    state.round = inRound;
    state.own = { score, server: this.#self };
    state.greatest = state.own;
    state.passed = state.passed.filter((vote) => vote.round >= inRound - 1);
    state.votes = [];
    state.tour = this.#rules.nothing;
    if (this.#servers.length === 1) this.#follow(inRound, this.#self);
    else this.#act({ kind: "begin", initiates }, now);
  }

  #sayAgain(now: Instant): void {
    const state = this.#state;
    if (state.phase !== "electing" && state.phase !== "waiting") return;
    if (state.phase === "electing") {
      state.retryAfter = doubled(state.retryAfter);
      state.shunned = [];
      if (this.#mutant === "lost-token-not-repeated") return;
      this.#act({ kind: "again" }, now);
    }
    this.#effects.push(armRetry(state.retryAfter));
  }

  /** Whoever was ahead of all may have stopped the tokens of the others. */
  #checkGreatest(now: Instant): boolean {
    const { phase, greatest, down } = this.#state;
    if (phase !== "electing" || greatest === null || !down.includes(greatest.server)) return false;
    this.#newRound(now);
    return true;
  }

  #repair(successor: ServerId | null, now: Instant): void {
    const state = this.#state;
    const { phase, leader, followed, down } = state;
    const isClosed = state.successor !== null && down.includes(state.successor);
    state.successor = successor;
    if (successor === null || this.#mutant === "gap-not-closed") return;
    if (phase === "electing") {
      if (!this.#checkGreatest(now)) this.#act({ kind: "repaired", way: "on" }, now);
    } else if (isClosed && leader !== null && followed !== null && !down.includes(leader)) {
      this.#announce({ kind: "elected", ...followed, hops: 1 });
    }
  }

  #receive(from: ServerId, way: Way, message: ContestMessage<T>, now: Instant): void {
    const flaw = flawOf(message, way, this.#servers, this.#rules);
    if (flaw !== null) {
      this.#effects.push({ kind: "close", server: from, reason: flaw });
      return;
    }
    switch (message.kind) {
      case "token":
        this.#receiveToken(message.round, message.token, way, now);
        break;
      case "elected":
        if (way === "aside") this.#receiveVote(from, message, now);
        else this.#receiveAnnouncement(message);
        break;
      case "round":
        if (this.#state.phase === "electing" && message.round > this.#state.round)
          this.#begin(message.round, now);
        break;
      default:
        unreachable(message);
    }
  }

  #receiveToken(inRound: Round, token: T, way: Way, now: Instant): void {
    const state = this.#state;
    const owner = token.key.server;
    const wakes = this.#rules.wakes === true && state.phase === "resting" && this.#judge.ready(now);
    if (wakes) this.#effects.push(armRetry(this.#retry));
    if (wakes || state.phase === "electing") {
      if (wakes || inRound > state.round) this.#begin(inRound, now, false);
      if (inRound === state.round) this.#takePart(token, way, now);
      else if (owner !== this.#self) this.#tell(owner, { kind: "round", round: state.round });
      return;
    }
    if (owner === this.#self) return;
    if (state.phase === "resting" || state.gathering) {
      state.held = withHeld(state.held, { round: inRound, token, way });
      return;
    }
    const vote = state.leader === null ? null : state.followed;
    if (vote === null) {
      this.#letPass(inRound, token, way);
      return;
    }
    const isLeaders = vote.leader === owner && vote.round === inRound;
    if (!isLeaders) this.#tell(owner, { kind: "elected", ...vote, hops: 0 });
    // It may be the next to hear that its leader is dead, and then it takes part after all.
    if (inRound > state.round) state.held = withHeld(state.held, { round: inRound, token, way });
    // A round that has a leader needs no second one.
    if (vote.round !== inRound || isLeaders) this.#letPass(inRound, token, way);
  }

  /** Without taking part. */
  #letPass(inRound: Round, token: T, way: Way): void {
    if (token.hops >= this.#servers.length) return;
    const passing = { ...token, hops: token.hops + 1 };
    const message: ContestMessage<T> = { kind: "token", round: inRound, token: passing };
    this.#effects.push({ kind: way === "back" ? "pass back" : "pass on", message });
  }

  #takePart(token: T, way: Way, now: Instant): void {
    const state = this.#state;
    const owner = token.key.server;
    if (state.shunned.includes(owner)) return;
    if (owner !== this.#self && this.#isOrphan(token)) {
      this.#doWithout(owner, now);
      return;
    }
    if (state.greatest === null || this.#compare(token.key, state.greatest) > 0) state.greatest = token.key;
    this.#act({ kind: "token", token: stamped(token, this.#self), way }, now);
  }

  #doWithout(owner: ServerId, now: Instant): void {
    this.#state.shunned = [...this.#state.shunned, owner];
    this.#newRound(now);
  }

  /** A token that has been here ran past its owner: the others do without that one. */
  #isOrphan(token: T): boolean {
    if (this.#mutant === "orphan-token-kept") return false;
    return token.met.includes(this.#self) || token.hops >= this.#servers.length;
  }

  #act(happening: Happening<T>, now: Instant): void {
    const state = this.#state;
    assert(state.own !== null, "a round without a key of one's own");
    const { tour, deeds } = this.#rules.step(state.tour, happening, state.own, this.#compare);
    state.tour = tour;
    for (const { kind, token } of deeds) {
      if (kind === "home") {
        if (this.#isQuorum(token)) this.#comeHome(now);
        continue;
      }
      const vote = { round: state.round, leader: token.key.server };
      if (vote.leader !== this.#self && !hasPassed(state, vote)) state.passed = [...state.passed, vote];
      this.#effects.push({ kind, message: { kind: "token", round: state.round, token } });
    }
  }

  #isQuorum({ met }: T): boolean {
    return met.length >= majority(this.#servers.length) || this.#mutant === "token-without-quorum";
  }

  /**
   * Who let a greater one pass has lost this round. If a quorum let the own one pass all the same, the owner
   * of the greater one is not on its way, or stands by another key: the others do without that one.
   */
  #comeHome(now: Instant): void {
    const { round: inRound, greatest } = this.#state;
    if (greatest !== null && greatest.server !== this.#self) {
      if (this.#mutant !== "gone-key-kept") this.#doWithout(greatest.server, now);
      return;
    }
    this.#follow(inRound, this.#self);
    this.#announce({ kind: "elected", round: inRound, leader: this.#self, hops: 1 });
  }

  #receiveAnnouncement(message: ElectedMessage): void {
    const { phase, leader, followed } = this.#state;
    if (message.leader === this.#self) return;
    if (leader === message.leader && followed?.round === message.round) return;
    if (phase === "electing" && this.#believes(message)) this.#follow(message.round, message.leader);
    if (message.hops < this.#servers.length) this.#announce({ ...message, hops: message.hops + 1 });
  }

  #receiveVote(from: ServerId, { round: inRound, leader }: ElectedMessage, now: Instant): void {
    const state = this.#state;
    if (state.phase !== "electing") return;
    const vote = { round: inRound, leader };
    if (this.#believes(vote)) {
      this.#follow(inRound, leader);
      return;
    }
    // This round is over, without this server: only the next one is told to all.
    if (inRound === state.round) {
      this.#newRound(now);
      return;
    }
    state.votes = withVote(state.votes, from, vote);
    const settled = settledBy(state.votes, this.#servers.length, sameLeader, this.#mutant);
    if (settled !== null) this.#follow(settled.round, settled.leader);
  }

  /** Who let a token pass has agreed to its owner; who did not must ask a quorum. */
  #believes(vote: Vote): boolean {
    if (this.#mutant === "announcement-believed") return true;
    return hasPassed(this.#state, vote) && !this.#state.down.includes(vote.leader);
  }

  #follow(inRound: Round, leader: ServerId): void {
    const state = this.#state;
    state.phase = "following";
    if (this.#mutant === "round-falls" || inRound > state.round) state.round = inRound;
    state.leader = leader;
    state.followed = { round: inRound, leader };
    state.greatest = null;
    state.votes = [];
    state.tour = this.#rules.nothing;
    this.#effects.push({ kind: "disarm", timer: "retry" });
    this.#output({ kind: "elected", leader, round: inRound });
  }

  readonly #compare: Compare = (a, b) =>
    this.#mutant === "ties-without-id"
      ? this.#judge.compare(a.score, b.score)
      : compareKeys(this.#judge, a, b);

  #announce(message: ElectedMessage): void {
    this.#effects.push({ kind: "pass on", message });
  }

  #tell(to: ServerId, message: ContestMessage<T>): void {
    this.#effects.push({ kind: "tell", to, message });
  }

  #output(output: ElectionOutput): void {
    this.#effects.push({ kind: "output", output });
  }
}
